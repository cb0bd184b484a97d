"""One or several options out of a few, as in spot-the-flaw."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from labutils.exercises.definition.exercise import Checker
from labutils.exercises.definition.verdict import Status, Verdict

_FILLERS = ("and", "or", "letter", "letters", "option", "options", "answer", "answers")


@dataclass(frozen=True)
class Choice(Checker):
    """A checker for a choice among ``options`` (key -> text).

    ``correct`` is one key or a set of keys. ``diagnoses`` says for wrong keys what speaks against
    them, ``omissions`` for right ones what to ask whoever leaves them out.

    An answer is a key, several in one text ("a, c", "(a) and (c)", "a/c", "ac") or a list of keys;
    neither case nor a full stop counts. Letters run together are read only where several options
    are asked for, and only in their order or if they are as many as that: "bad" is a word.
    """

    options: Mapping[str, str]
    correct: str | frozenset[str]
    diagnoses: Mapping[str, str] = field(default_factory=dict)
    omissions: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self):
        keys = [_folded(key) for key in self.options]
        if len(keys) < 2 or len(set(keys)) < len(keys):
            raise ValueError(f"options = {list(self.options)}: expected two or more, all different")
        if not self._right() or not self._right() <= set(self.options):
            raise ValueError(f"correct = {self.correct!r}: expected keys among {self._keys()}")
        if not set(self.diagnoses) <= set(self.options) - self._right():
            raise ValueError(f"diagnoses = {list(self.diagnoses)}: expected keys of wrong options")
        if not set(self.omissions) <= self._right():
            raise ValueError(f"omissions = {list(self.omissions)}: expected keys of right options")

    @property
    def reference_answer(self) -> str | frozenset[str]:
        return self.correct

    def check(self, answer) -> Verdict:
        try:
            chosen = self._chosen(answer)
        except ValueError as error:
            return Verdict(Status.unreadable, str(error))
        wrong = sorted(chosen - self._right())
        if wrong:
            return self._refusal(wrong)
        if chosen < self._right():
            return self._incomplete(sorted(self._right() - chosen))
        return Verdict(Status.right, "That is the one." if len(chosen) == 1 else "Those are they.")

    def _refusal(self, wrong: list[str]) -> Verdict:
        known = next((key for key in wrong if key in self.diagnoses), None)
        if known:
            message = f"{known}: {self.diagnoses[known]}"
            return Verdict(Status.misconception, message, diagnosis=known)
        return Verdict(Status.wrong, f"{', '.join(wrong)}: not what is asked for. Read it again.")

    def _incomplete(self, missing: list[str]) -> Verdict:
        message = "What you chose is right, and at least one is missing."
        known = next((key for key in missing if key in self.omissions), None)
        if known:
            asked = f"{message} {self.omissions[known]}"
            return Verdict(Status.misconception, asked, diagnosis=f"without-{known}")
        return Verdict(Status.wrong, message)

    def _chosen(self, answer) -> frozenset[str]:
        known = {_folded(key): key for key in self.options}
        number = 0 if isinstance(self.correct, str) else len(self.correct)
        keys = _named(answer, known, several=number)
        strangers = [key for key in keys or [""] if key not in known]
        if strangers:
            example = ", ".join(list(self.options)[: 2 if number else 1])
            raise ValueError(f"Answer with {self._keys()}, for example {example!r}.")
        return frozenset(known[key] for key in keys)

    def _right(self) -> set[str]:
        return {self.correct} if isinstance(self.correct, str) else set(self.correct)

    def _keys(self) -> str:
        *most, last = map(str, self.options)
        several = "" if isinstance(self.correct, str) else " (several of them, with commas between)"
        return f"{', '.join(most)} or {last}{several}"


def _named(answer, known: Mapping[str, str], *, several: int) -> list[str]:
    """The keys in an answer, folded; an empty list where it names none.

    ``several`` says how many are asked for, 0 where it is one.
    """
    if isinstance(answer, str):
        whole = _folded(answer)
        if whole in known:
            return [whole]
        if several and _run_together(whole, list(known), several):
            return list(whole)
        words = [_folded(word) for word in re.split(r"[\s,;+&/]+|(?<=\))(?=\()", whole)]
        return [word for word in words if word and (word in known or word not in _FILLERS)]
    if isinstance(answer, list | tuple | set | frozenset):
        items = list(answer)
        return [_folded(item) for item in items] if all(isinstance(i, str) for i in items) else []
    return []


def _run_together(text: str, keys: list[str], several: int) -> bool:
    """Whether "bd" is b and d: keys of one letter each, all different, in order or as many."""
    letters = all(len(key) == 1 for key in keys) and set(text) <= set(keys)
    different = letters and len(set(text)) == len(text)
    return different and (len(text) == several or list(text) == sorted(text, key=keys.index))


def _folded(key: str) -> str:
    return key.strip().strip("().:'\"").casefold()
