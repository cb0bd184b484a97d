"""What covers topics beside the chapters: drills, whiteboard prompts and reference cards."""

from collections.abc import Iterator

from labutils.authoring.sources.course import Course

HOME = "interview_drills"  # the chapter in which they are asked
CARDS_PATH = "docs/cards.html"


def offers(course: Course) -> Iterator[tuple[str, dict[str, str]]]:
    """Topic ids, each with a place as the index holds it; nothing for a course without drills."""
    homes = [chapter for chapter in course.chapters if chapter.header.slug == HOME]
    for chapter in homes:
        about = {"path": chapter.learner_path, "title": chapter.heading}
        for topic, heading in [*_drills(), *_prompts()]:
            yield topic, {**about, "heading": heading}
        for topic, heading in _cards():
            yield topic, {"path": CARDS_PATH, "title": "Reference cards", "heading": heading}


def has_offers(course: Course) -> bool:
    """Whether the course holds the chapter of the drills, and so the drills and cards."""
    return any(chapter.header.slug == HOME for chapter in course.chapters)


def _drills() -> Iterator[tuple[str, str]]:
    from labutils.drills.catalog import templates

    for template in templates():
        for topic in template.topics:
            yield topic, f'drill("{template.id}"): {template.title}'


def _prompts() -> Iterator[tuple[str, str]]:
    from labutils.drills.whiteboard import prompts

    for prompt in prompts():
        for topic in prompt.topics:
            yield topic, f'prompt("{prompt.id}"): {prompt.title}'


def _cards() -> Iterator[tuple[str, str]]:
    from labutils.cards import all_cards

    for card in all_cards():
        for topic in card.topics:
            yield topic, f"Card: {card.title}"
