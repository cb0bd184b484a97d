"""One learner's progress as a file for the class: opt-in, and free of names, texts and values.

The learner's token is drawn at random in the first export and kept as an event of the progress
store. A later export finds it there, so that its file replaces the earlier one in a report. It
says nothing about the learner and lives as long as ``my/progress/`` does.
"""

import secrets
from collections import Counter
from collections.abc import Iterable, Mapping
from datetime import datetime
from pathlib import Path

from labutils.classroom.line import LONGEST_S, Line, facts, read
from labutils.exercises.journal.journal import events, record
from labutils.ground.files import overwrite_own, publish
from labutils.ground.folder import my_folder

TOKEN_EVENT = "class_token"


def export(target: Path | None = None) -> tuple[Path, str]:
    """Write the learner's class file and return its path and its text.

    Without ``target`` it is ``class-TOKEN.jsonl`` in the learner's folder. An earlier export at
    that place is replaced. Raises ``FileExistsError`` where anything else stands there, and
    ``OSError`` where nothing can be written.
    """
    token = learner_token()
    text = exported(events(), token)
    path = my_folder() / f"class-{token}.jsonl" if target is None else Path(target)
    _place(path, text)
    return path, text


def exported(store: Iterable[Mapping], token: str) -> str:
    """The text of a class file: a line for each event of ``store`` that is for a class.

    A pure function: the same events give the same text. Lines stand in the order of time.
    """
    chosen = list(_chosen(list(store)))
    lines = [Line(learner=token, n=n, of=len(chosen), **said) for n, said in enumerate(chosen)]
    return "".join(f"{line.text()}\n" for line in lines)


def learner_token() -> str:
    """The learner's token: the first that the store holds, drawn now where it holds none."""
    if not _tokens():
        record({"event": TOKEN_EVENT, "token": secrets.token_hex(8)})
    return _tokens()[0]


def _tokens() -> list[str]:
    found = [event.get("token") for event in events() if event.get("event") == TOKEN_EVENT]
    return [token for token in found if _is_token(token)]


def _is_token(token) -> bool:
    whole = isinstance(token, str) and len(token) == 16
    return whole and all(digit in "0123456789abcdef" for digit in token)


def _chosen(store: list[Mapping]) -> Iterable[dict]:
    hints, first = Counter(), None
    for event in store:
        kind, item_id = event.get("event"), str(event.get("id"))
        moment = _moment(event.get("at"))
        t_s = None if moment is None or first is None else _since(first, moment)
        said = facts(event, t_s=t_s, hints=hints[item_id])
        if said is None:
            continue
        if moment is not None and first is None:
            first, said["t_s"] = moment, 0
        hints[item_id] += kind == "hint"
        yield said


def _moment(at) -> datetime | None:
    try:
        moment = datetime.fromisoformat(at)
    except (TypeError, ValueError):
        return None
    return moment if moment.tzinfo else None


def _since(first: datetime, moment: datetime) -> int | None:
    seconds = round((moment - first).total_seconds())
    return seconds if 0 <= seconds <= LONGEST_S else None


def _place(path: Path, text: str) -> None:
    """Write the file; one that is not an earlier export is left as it is."""
    content = text.encode()
    path = path.absolute()
    if publish(path, content):
        return
    if not _is_export(path):
        raise FileExistsError(f"{path} stands there and is no earlier export: nothing was written")
    overwrite_own(path, content)


def _is_export(path: Path) -> bool:
    """Whether every line of the file is a line of an export (an empty file is one, too)."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError):
        return False
    return all(read(line) is not None for line in lines)
