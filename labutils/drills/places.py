"""Where the course explains what a drill asks."""

from labutils.drills.template import Template
from labutils.topics import all_topics


def section(template: Template) -> str:
    """The first section of a chapter or lab on a topic of ``template``; empty where none is."""
    known = {topic.id: topic for topic in all_topics()}
    for topic in template.topics:
        for place in known[topic].places if topic in known else ():
            if "interview_drills" not in place.path:
                return f"{place.title}, “{place.heading}”"
    return ""
