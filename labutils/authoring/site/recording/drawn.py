"""Pictures as SVG in which each element is kept once, however many pictures show it."""

import base64
import io
import re
from contextlib import contextmanager
from xml.etree import ElementTree

from matplotlib import rc_context
from matplotlib.text import Text
from PIL import Image

SVG = "{http://www.w3.org/2000/svg}"
LINK = "{http://www.w3.org/1999/xlink}href"
LETTER_PX = 10  # of one em in a recorded picture
OWN = "§"  # stands before every id; the page puts in its place what tells two pictures apart
LOOK = "¤"
HALO = "halo"  # the class of a text with a rim, which the page's style draws

_NUMBER = re.compile(r"-?\d+\.\d+")
_REFERENCE = re.compile("#(?=[mph][0-9a-f]{6})")  # to a marker, a clip, a hatch
_PLACES = ("id", "d", "x", "y", "width", "height", "transform")
_USUAL = {"text-anchor": "start", "font-size": "1em", "stroke-dashoffset": "0"}
_LEFT_OUT = ("font-family", "stroke-linejoin")
_SETTINGS = {"svg.fonttype": "none", "svg.hashsalt": "explorer", "path.simplify_threshold": 0.4}


class Drawings:
    """All pictures of one explorer: ``nodes`` are elements as text, or lists of other nodes.

    In an element ``LOOK`` and a number stand for all that is not its shape, its place or its words.
    """

    def __init__(self):
        self._numbers: dict = {}
        self._looks: dict[str, int] = {}

    @property
    def nodes(self) -> list:
        """Every node once; a list holds the numbers of what is in it."""
        return [list(node) if isinstance(node, tuple) else node for node in self._numbers]

    @property
    def looks(self) -> list[str]:
        """Attributes of elements, as text, by number."""
        return list(self._looks)

    def add(self, figure) -> int:
        """Draw a figure; return the number of the node that is all of it."""
        text = io.StringIO()
        with rc_context(_SETTINGS), _whole_letters(figure):
            figure.savefig(text, format="svg", dpi=72)  # of images: one pixel for a point
        root = ElementTree.fromstring(text.getvalue())
        return self._number_of(root.find(f"{SVG}g"), *root.findall(f"{SVG}defs")[1:])

    def _number_of(self, *elements) -> int:
        found = [self._of(element) for element in elements]
        return found[0] if len(found) == 1 else self._keep(tuple(found))

    def _of(self, element) -> int:
        inside = list(element)
        if element.get("id", "").startswith(HALO):
            for text in element.iter(f"{SVG}text"):
                text.set("class", HALO)
        if element.tag == f"{SVG}g" and not _attributes(element) and inside:
            return self._number_of(*inside)
        return self._keep(self._text(element))

    def _keep(self, node) -> int:
        return self._numbers.setdefault(node, len(self._numbers))

    def _text(self, element) -> str:
        name, found = element.tag.removeprefix(SVG), _attributes(element)
        head = "".join(f' {key}="{found.pop(key)}"' for key in _PLACES if key in found)
        if look := "".join(f' {key}="{value}"' for key, value in found.items()):
            head += f"{LOOK}{self._looks.setdefault(look, len(self._looks))}"
        inside = "".join(map(self._text, element)) + _escaped((element.text or "").strip())
        return f"<{name}{head}>{inside}</{name}>" if inside else f"<{name}{head}/>"


@contextmanager
def _whole_letters(figure):
    """Draw texts with a rim as text: matplotlib would cut their letters into curves."""
    rimmed = [(text, text.get_path_effects()) for text in figure.findobj(Text)]
    rimmed = [(text, effects) for text, effects in rimmed if effects]
    for text, _ in rimmed:
        text.set(path_effects=[], gid=HALO)
    yield
    for text, effects in rimmed:
        text.set(path_effects=effects, gid=None)


def _attributes(element) -> dict[str, str]:
    """As attributes all that matplotlib says as style: a page may forbid styles in elements."""
    found = {key.replace(LINK, "href"): value for key, value in element.attrib.items()}
    rules = found.pop("style", "")
    if element.tag == f"{SVG}g":
        found.pop("id", None)
    for rule in filter(None, rules.split(";")):
        key, _, value = rule.partition(":")
        found[key.strip()] = value.strip()
    values = {key: _value(key, value) for key, value in found.items() if key not in _LEFT_OUT}
    return {key: value for key, value in values.items() if value and value != _USUAL.get(key)}


def _value(key: str, value: str) -> str:
    if key == "id":
        return f"{OWN}{value}"
    if key == "font-size":
        return f"{float(value.removesuffix('px')) / LETTER_PX:g}em"
    if value.startswith("data:"):
        return _small(value)
    if value.startswith("rotate(-0 "):
        return ""
    if key == "d" and not set("QC") & set(value):
        return _polygon(value.split())
    if key in _PLACES or value.startswith("rotate"):
        value = _NUMBER.sub(lambda found: f"{_tenths(found[0]) / 10:g}", " ".join(value.split()))
    return _escaped(_REFERENCE.sub(f"#{OWN}", value))


def _polygon(words: list[str]) -> str:
    """Straight lines as steps from point to point, in tenths; what does not move is left out."""
    path, here, at = [], (0, 0), 0
    while at < len(words):
        if words[at] == "z":
            path.append("z")
            at += 1
            continue
        there = _tenths(words[at + 1]), _tenths(words[at + 2])
        step = (there[0] - here[0]) / 10, (there[1] - here[1]) / 10
        if words[at] == "M":
            path.append(f"M{there[0] / 10:g} {there[1] / 10:g}")
        elif step != (0, 0):
            path.append(f"l{step[0]:g} {step[1]:g}")
        here, at = there, at + 3
    return "".join(path).replace(" -", "-")


def _tenths(number: str) -> int:
    return round(10 * float(number))


def _small(uri: str) -> str:
    """An image of few colours with a palette, so that it takes a third of the bytes."""
    kind, _, data = uri.partition(",")
    image, packed = Image.open(io.BytesIO(base64.b64decode(data))), io.BytesIO()
    image.convert("RGB").quantize(64, dither=Image.Dither.NONE).save(packed, "png", optimize=True)
    return f"{kind},{base64.b64encode(packed.getvalue()).decode()}"


def _escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace('"', "&quot;")
