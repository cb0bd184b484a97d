"""What of the prose before a figure, a table or an outcome is told on a slide."""

from labutils.authoring.slides import markup, room
from labutils.authoring.slides.parts import Prose
from labutils.authoring.slides.slide_choice import Choice, telling


def shown(proses: list[Prose], choice: Choice) -> list[tuple[Prose, str]]:
    """What of these blocks stands on a slide, and as which text, in reading order."""
    plain = [p.text for p in proses if p.kind == "paragraph" and not p.tag]
    told = telling(plain, choice, room.leading(proses))
    found = []
    for prose in proses:
        if prose.tag == "notes":
            continue
        if prose.kind != "paragraph" or prose.tag:
            found.append((prose, prose.text))
            continue
        mine = [s for s in markup.sentences(prose.text) if s in told]
        found += [(prose, " ".join(mine))] if mine else []
    return found


def is_marked(proses: list[Prose], choice: Choice) -> bool:
    """Whether something here asks to be seen: no plain paragraph, a bold or a chosen word."""
    return any(
        (p.kind != "paragraph" and p.tag != "notes")
        or p.tag in ("show", "fragment")
        or "**" in p.text
        or has_chosen([p], choice)
        for p in proses
    )


def has_chosen(proses: list[Prose], choice: Choice) -> bool:
    """Whether a sentence of these was chosen by hand."""
    said = [s for p in proses if p.tag != "notes" for s in markup.sentences(p.text)]
    return bool([sentence for sentence in said if choice.shows(sentence)])  # each counts as used
