"""An engine as a package of its own: torch and safetensors, and no course."""

import json
import re
import shutil
import tempfile
from pathlib import Path

import labutils

from .engine import my_engine
from .facts import facts_of
from .map import engine_map
from .page import WHAT, page
from .prove import Proof, prove
from .store import Store
from .texts.course_engine import GIVEN_FILES, course_sources
from .texts.functions import code_lines_of, functions_of

PACKAGE, COURSE, MODEL = "my_engine", "course_engine", "target"
_IMPORTS = {
    "from labutils.ground import arguments": "from . import arguments",
    "from labutils.llm import ModelSpec": "from .spec import ModelSpec",
    "from labutils.engine.model_rope import": "from .model_rope import",
    "from labutils.llm.specification.config_file import ConfigKeys\n": "",
}


def export(folder: str | Path, *, store: Store | None = None, name: str = "") -> Path:
    """Write the engine in ``my/engine`` as a package into ``folder``, and return that.

    It brings the course's trained model, a test with recorded tokens, a command that writes text,
    a race against the course's engine, a README, and a page to be shown (``index.html``) by
    ``name``, if given: whose lines are whose, what the proof says, what was measured. If the proof
    does not hold, the package is written as well, and it is said aloud. ``ValueError`` if
    ``folder`` holds something already, and for code that needs the course; nothing is written then.
    """
    proof = exported(folder, store or Store(), name=name)
    if not proof.holds:
        print(said(proof))
    return Path(folder).expanduser()


def exported(folder: str | Path, store: Store, *, name: str = "") -> Proof:
    """Do what ``export`` says, and return the proof of what was written."""
    folder = Path(folder).expanduser()
    if folder.exists() and any(folder.iterdir()):
        raise ValueError(f"folder = {str(folder)!r}: expected one that is empty, or none yet")
    with tempfile.TemporaryDirectory() as place:
        staged = Path(place) / "whole"
        proof = _write(staged, store, name)
        shutil.copytree(staged, folder, dirs_exist_ok=True)
    return proof


def said(proof: Proof) -> str:
    """The proof for a reader who has to see that it does not hold, if so."""
    return repr(proof) if proof.holds else f"THE PROOF DOES NOT HOLD\n{proof!r}"


def _write(folder: Path, store: Store, name: str) -> Proof:
    shutil.copytree(labutils.datafile("export"), folder, ignore=_no_caches)
    for package, texts in {PACKAGE: store.texts(), COURSE: course_sources()}.items():
        (folder / package).mkdir(exist_ok=True)
        for file, text in texts.items():
            if file != "__init__":
                _put(folder / package / f"{file}.py", _alone(file, text))
        _put(folder / package / "arguments.py", _arguments())
    for file in ("__init__.py", "spec.py"):
        shutil.copy(folder / PACKAGE / file, folder / COURSE / file)
    shutil.copytree(labutils.datafile(f"checkpoints/{MODEL}"), folder / PACKAGE / "model")
    _put(folder / "expected.json", json.dumps({"answers": _answers()}, indent=1))
    readme = (folder / "README.md").read_text(encoding="utf-8")
    proof = prove(my_engine(store, quiet=True))
    _put(folder / "README.md", _filled(readme, store, proof))
    _put(folder / "index.html", page(facts_of(store, proof, name=name)))
    return proof


def _put(file: Path, text: str) -> None:
    file.write_text(text, encoding="utf-8", errors="replace")


def _alone(name: str, text: str) -> str:
    """A file without the course: its imports changed, what needs the rest left out."""
    for old, new in _IMPORTS.items():
        text = text.replace(old, new)
    if name == "model_rope":
        text = _without(text, "rope_from_config")
    for number, line in enumerate(text.splitlines(), start=1):
        if re.search(r"\blabutils\b", line.partition("#")[0]):
            raise ValueError(
                f"my/engine/{name}.py, line {number} needs the course ({line.strip()}): expected "
                "code that stands alone"
            )
    return text


def _arguments() -> str:
    """The checks of arguments, but for the one that needs numpy."""
    text = (Path(labutils.__file__).parent / "ground/arguments.py").read_text(encoding="utf-8")
    return _without(text, "sample").replace("import numpy as np\n\n", "")


def _without(text: str, function: str) -> str:
    lines, gone = text.splitlines(keepends=True), functions_of(text)[function]
    return "".join(lines[: gone.first] + lines[gone.end :]).rstrip() + "\n"


def _answers() -> list[dict]:
    """What the course's engine says in float64, one prompt at a time."""
    from labutils.engine import Engine, Sampling
    from labutils.serving.checkpoints.checkpoint import course_model

    model, tokenizer = course_model(MODEL, dtype="float64")
    engine, found = Engine(model, max_sequences=1, tokenizer=tokenizer), []
    for number, prompt in enumerate(PROMPTS):
        how = {"temperature": 0.7, "top_k": 50, "seed": number} if number % 3 == 2 else {}
        length = 12 + 5 * number % 23
        (one,) = engine.generate([prompt], max_output_tokens=length, sampling=Sampling(**how))
        found.append({"prompt": prompt, "sampling": how, "tokens": one.answer, "text": one.text})
    return found


PROMPTS = (
    "A batch that is closed", "The cache holds", "A queue grows when the rate of arrivals",
    "Every request that runs holds pages, and", "Little's law says", "The tail of",
    "A server that is busy 80 % of the time", "When memory runs out, the newest request",
    "Tokens per second",
)  # fmt: skip
"""Of different lengths, so that steps are ragged."""


def _filled(readme: str, store: Store, proof: Proof) -> str:
    whole, texts = engine_map(store), store.texts()
    rows = []
    for name, what in WHAT.items():
        mine = sum(row.lines for row in whole.rows if row.file == name and row.yours)
        given = "given" if name in GIVEN_FILES else mine
        rows.append(f"| {name}.py | {code_lines_of(texts[name])} | {given} | {what} |")
    finding = whole.finding.replace("yours", "mine")
    return readme.format(finding=finding, rows="\n".join(rows), proof=said(proof))


def _no_caches(_folder, names: list[str]) -> list[str]:
    return [name for name in names if name == "__pycache__"]
