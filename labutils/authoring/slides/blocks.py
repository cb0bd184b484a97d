"""Prose as blocks of a slide: cut into pieces that fit, and put there as HTML."""

from collections.abc import Iterable, Iterator

from labutils.authoring.slides import markup, room, told
from labutils.authoring.slides.parts import Prose
from labutils.authoring.slides.slide import Slide
from labutils.authoring.slides.slide_choice import Choice


def with_room(shown: Iterable[tuple[Prose, str]]) -> Iterator[tuple[Prose, str, float]]:
    """Each piece of what is shown, with the text and the lines for which it needs room.

    A paragraph stays with the list, table or formula behind it, so it needs room for both.
    """
    whole = [Prose(prose.kind, text, prose.tag) for prose, text in shown]
    pieces = [piece for block in whole for piece in room.pieces(block)]
    for block, after in zip(pieces, [*pieces[1:], None]):
        leads = after and after.kind != "paragraph" and block.kind == "paragraph"
        together = [block, after] if leads else [block]
        yield block, "\n".join(map(html, together)), sum(map(room.lines, together))


def of_task(task: Iterable[Prose], choice: Choice) -> list[Prose]:
    """The pieces of an exercise's text that its slide shows: what was chosen, or what it asks."""
    said = [prose for prose in task if prose.tag != "notes"]
    asked = [prose for prose in said if told.has_chosen([prose], choice)] or room.asked_for(said)
    return [piece for whole in asked for piece in room.pieces(whole)]


def put(slide: Slide, prose: Prose) -> None:
    """Put a piece of prose below what stands on the slide."""
    slide.add(html(prose), room.lines(prose))


def html(prose: Prose) -> str:
    """A piece of prose as it stands on a slide."""
    text = room.shortened(prose.text) if prose.kind == "list" else prose.text
    block = f'<div class="{prose.kind}">{markup.block_html(text)}</div>'
    return f'<div class="fragment">{block}</div>' if prose.tag == "fragment" else block
