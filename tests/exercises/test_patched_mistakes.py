"""Every mistake of the catalogue that is a patch finds its place in the code that it changes."""

import gc
from types import FunctionType

from labutils.authoring.sources.definitions import read_definitions
from labutils.exercises.checkers import Piece
from labutils.workspace.my_engine.texts.slips import texts_of

EXERCISES = [one for group in read_definitions().exercises.values() for one in group]


def test_patches_of_pieces_fit_the_course():
    pieces = [one.checker for one in EXERCISES if isinstance(one.checker, Piece)]
    found = [
        (mistake.answer.wrong, texts_of(checker.targets))
        for checker in pieces
        for mistake in checker.misconceptions
    ]
    assert all(patch.made_in(texts) != texts for patch, texts in found) and len(found) > 350


def test_patches_of_classes_and_functions_fit_them():
    lazy = [
        one
        for one in gc.get_objects()
        if type(one) is FunctionType and "made" in vars(one) and "Patch.wrong" in one.__qualname__
    ]
    assert all(callable(vars(one)["made"]()) for one in lazy) and len(lazy) > 300
