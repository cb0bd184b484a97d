"""What the course covers, and where: search the topics, follow one to its chapter.

Titles stand in ``data/topics.json``; the places come from ``data/topic_index.json``, which the
build collects from the topic tags of the chapters, the drills and the reference cards.

>>> from labutils import topics
>>> topics.find("hedge")          # titles and headings that hold the word, with their places
I09  Hedged requests after a delay, and what they add to the load
     ...
>>> topics.where("B07")           # one topic
B07  Utilization: ρ = λ/μ, with c servers λ/(cμ)
     ...
>>> len(topics.open_topics()) < len(topics.all_topics())      # what no chapter covers yet
True
"""

import json
from collections.abc import Iterable
from dataclasses import dataclass, replace
from difflib import get_close_matches

from labutils import datafile


@dataclass(frozen=True)
class Place:
    """Where a topic is covered: the notebook's path, its title, the heading above the cell."""

    path: str
    title: str
    heading: str

    def __str__(self) -> str:
        return f"{self.title}, “{self.heading}” ({self.path})"


@dataclass(frozen=True)
class Topic:
    """One topic of the course: its id, what it states, and the places that cover it."""

    id: str
    title: str
    places: tuple[Place, ...] = ()

    def __repr__(self) -> str:
        places = [f"     {place}" for place in self.places] or ["     no chapter covers it yet"]
        return "\n".join([f"{self.id}  {self.title}", *places])


class TopicList(tuple):
    """Several topics; ``print`` shows each topic with the places that cover it."""

    def __new__(cls, topics: Iterable[Topic] = ()):
        return super().__new__(cls, topics)

    def __repr__(self) -> str:
        return "\n".join(map(repr, self)) or "no topics"


def find(text: str) -> TopicList:
    """Topics whose id or title holds every word of ``text``, in any case.

    Behind them, topics that hold the words in a heading alone, with these places. Raises
    ``ValueError`` when ``text`` holds no word.
    """
    words = text.lower().split()
    if not words:
        raise ValueError(f"text = {text!r}: expected at least one word, e.g. find('hedge')")
    by_title, by_heading = [], []
    for topic in all_topics():
        places = tuple(place for place in topic.places if _holds(words, place.heading))
        if _holds(words, f"{topic.id} {topic.title}"):
            by_title.append(topic)
        elif places:
            by_heading.append(replace(topic, places=places))
    return TopicList([*by_title, *by_heading])


def _holds(words: Iterable[str], text: str) -> bool:
    return all(word in text.lower() for word in words)


def where(topic_id: str) -> Topic:
    """The topic of that id, e.g. ``where("B07")``; ``ValueError`` names the nearest ids."""
    topics = {topic.id: topic for topic in all_topics()}
    wanted = topic_id.strip().upper()
    if wanted not in topics:
        near = ", ".join(get_close_matches(wanted, topics, n=3, cutoff=0.5)) or "A01, B07, C13"
        raise ValueError(f"topic_id = {topic_id!r}: expected a topic such as {near}")
    return topics[wanted]


def open_topics() -> TopicList:
    """Topics that no chapter covers yet."""
    return TopicList(topic for topic in all_topics() if not topic.places)


def all_topics() -> TopicList:
    """Every topic, in the order of the catalogue."""
    titles, index = _read("topics.json"), _read("topic_index.json")
    return TopicList(
        Topic(topic, title, tuple(Place(**place) for place in index.get(topic, ())))
        for topic, title in titles.items()
    )


def _read(name: str) -> dict:
    return json.loads(datafile(name).read_text(encoding="utf-8"))
