"""A piece of the engine: the learner's functions in their places, tried, and kept once right."""

import functools
import inspect
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import CodeType, ModuleType

from labutils.exercises.checkers.code import feedback
from labutils.exercises.checkers.code.function import Function, fresh_seed
from labutils.exercises.comparing.trial import parameter_names, takes
from labutils.exercises.definition.exercise import Misconception, Raises
from labutils.exercises.definition.sheet import in_its_file
from labutils.exercises.definition.verdict import Status, Verdict
from labutils.ground.patches import Patch, patches
from labutils.workspace.my_engine.store import Store
from labutils.workspace.my_engine.texts.assemble import (
    NotKept,
    from_sources,
    sources,
    with_functions,
)
from labutils.workspace.my_engine.texts.course_engine import course_sources, lab_of
from labutils.workspace.my_engine.texts.functions import functions_of
from labutils.workspace.my_engine.texts.load_pieces import load
from labutils.workspace.my_engine.texts.slips import with_patch

_SUPER = (
    "`super()` leads nowhere here: your method takes the place of the engine's own, and above that "
    "there is none. Write out what it does."
)
_HELPER = (
    "Your class has a method of its own, `{}`, and only these go into the engine: {}. Write it as "
    "a function inside the method that calls it."
)


@dataclass(frozen=True)
class Piece(Function):
    """A checker for functions of ``labutils.engine``; make it with ``piece_of``.

    The learner hands in the function itself, or a class whose methods stand for several
    (``targets``, such as ``"scheduler:Scheduler._decode"``). It runs in a fresh engine, the
    course's for the rest, and ``tried(engine, *input)`` is compared with the course's result. What
    is right is executed once more from its source, apart from the notebook, and goes to
    ``my/engine``.
    """

    targets: tuple[str, ...] = ()
    tried: Callable | None = None

    def check(self, answer) -> Verdict:
        functions = self.functions(answer)
        if isinstance(functions, Verdict):
            return functions
        seed = fresh_seed()
        verdict = self._checked(self.mine(functions), seed)
        if verdict.status is not Status.right:
            return verdict
        kept, case = self._kept(functions, seed)
        return replace(verdict, note=" ".join(filter(None, (verdict.note, kept))), detail=case)

    def mine(self, functions: Mapping[str, Callable]) -> Callable:
        """The function that inputs are given to, with ``functions`` (by target) in the engine."""
        return _with_engine(self.tried, lambda: with_functions(functions))

    def functions(self, answer) -> "dict[str, Callable] | Verdict":
        """The learner's functions by target, or what is wrong with what was handed in."""
        names = {target.rpartition(":")[2].rpartition(".")[2]: target for target in self.targets}
        if inspect.isclass(answer):
            given = {name: vars(answer)[name] for name in names if name in vars(answer)}
        else:
            given = {answer.__name__: answer} if inspect.isfunction(answer) else {}
        if given.keys() != names.keys():
            return _unreadable(names, answer)
        if any(map(_is_stub, given.values())):
            return feedback.not_attempted()
        if any(map(_calls_super, given.values())):
            return Verdict(Status.unreadable, _SUPER)
        if helper := _helper(answer, given):
            return Verdict(Status.unreadable, _HELPER.format(helper, ", ".join(names)))
        for name, function in given.items():
            wanted = _parameters(names[name])
            if not takes(function, (None,) * len(wanted)):
                own = ", ".join(parameter_names(function))
                expected = f"Expected: {name}({', '.join(wanted)}); yours takes ({own})."
                return Verdict(Status.unreadable, expected)
        return {names[name]: function for name, function in given.items()}

    def _kept(self, functions: Mapping[str, Callable], seed: int) -> tuple[str, str]:
        """Try the sources by themselves and keep them; a sentence says so, or why not.

        Where they fail, the case is shown beside it. They are tried on the
        same inputs, so that only what the notebook lends them can be missed.
        """
        try:
            texts = sources(functions)
            engine = from_sources(texts)
            again = self._checked(_with_engine(self.tried, lambda: engine), seed)
            if again.status is not Status.right:
                alone = "Not kept in my/engine: executed by itself, apart from your notebook:"
                return f"{alone} {again.message}", again.detail
            paths = {_keep(target, text) for target, text in texts.items()}
        except NotKept as problem:
            return f"Not kept in my/engine: {problem}", ""
        except OSError as error:
            return f"Not kept in my/engine, which cannot be written: {error.strerror or error}.", ""
        return f"Kept in {' and '.join(sorted(paths))}.", ""


@in_its_file
def piece_of(*targets: str, tried: Callable, mistakes: str = "", **options) -> Piece:
    """A ``Piece``. ``mistakes`` are a sheet of patches on the course's text of all targets.

    ``tried(engine, *input)`` must not depend on anything but its arguments; the results of the
    course's and of wrong engines are remembered. ``options`` are those of ``Function``.
    """
    misconceptions = tuple(
        Misconception(one.name, _Wrong(targets, tried, one), one.message)
        for one in patches(mistakes)
    )
    reference = _with_engine(tried, lambda: load(course_sources()), remember=True)
    return Piece(
        reference=reference, misconceptions=misconceptions, targets=targets, tried=tried, **options
    )


class _Wrong:
    """An engine with a planted mistake, as a function of the inputs.

    Where that engine raises, the mistake is the error.
    """

    def __init__(self, targets: Sequence[str], tried: Callable, wrong):
        self.wrong = wrong
        self._call = _with_engine(
            functools.wraps(tried)(_errors_too(tried)),
            lambda: with_functions(planted(targets, wrong)),
            remember=True,
        )

    def __call__(self, *args):
        return self._call(*args)


def _errors_too(tried: Callable) -> Callable:
    def call(engine, *args):
        try:
            return tried(engine, *args)
        except Exception as error:
            return Raises(type(error))

    return call


def planted(targets: Sequence[str], wrong) -> dict[str, Callable]:
    """Wrong functions by target: ``wrong`` is a function, a class with some methods, or a patch."""
    if isinstance(wrong, Patch):
        return with_patch(wrong, targets)
    names = {target.rpartition(":")[2].rpartition(".")[2]: target for target in targets}
    if not inspect.isclass(wrong):
        return {targets[0]: wrong} if len(targets) == 1 else {names[wrong.__name__]: wrong}
    return {names[name]: method for name, method in vars(wrong).items() if name in names}


def _with_engine(
    tried: Callable, engine: Callable[[], ModuleType], *, remember: bool = False
) -> Callable:
    """``tried`` with the engine filled in, which is made at the first call."""
    engine, known = functools.cache(engine), {}

    def call(*args):
        if not remember:
            return tried(engine(), *args)
        key = repr(args)
        if key not in known:
            known[key] = tried(engine(), *args)
        return known[key]

    whole = inspect.signature(tried)
    call.__signature__ = whole.replace(parameters=list(whole.parameters.values())[1:])
    call.__name__ = call.__qualname__ = tried.__name__
    call.argument_names = parameter_names(call)
    return call


def _keep(target: str, text: str) -> str:
    """Put one function into ``my/engine``; the name of its file."""
    file, name = target.split(":")
    lab = lab_of(file, name) or "a lab"
    Store().keep(file, name, text, f"{lab.replace('lab', 'lab ')}, {time.strftime('%Y-%m-%d')}")
    return f"my/engine/{file}.py"


def _parameters(target: str) -> list[str]:
    """Names of the parameters that a call has to give."""
    file, name = target.split(":")
    asked = functions_of(course_sources()[file])[name].node.args
    return [one.arg for one in asked.args[: len(asked.args) - len(asked.defaults)]]


def _is_stub(function: Callable) -> bool:
    """Whether it still is the line that stands for the learner's code."""
    code = getattr(function, "__code__", None)
    return code is not None and "replace this line by your code" in code.co_consts


def _calls_super(function: Callable) -> bool:
    code = getattr(function, "__code__", None)
    return code is not None and "__class__" in code.co_freevars


def _helper(answer, given: Mapping[str, Callable]) -> str | None:
    """A method that the learner's class adds and those of ``given`` call, which would be lost."""
    if not inspect.isclass(answer):
        return None
    own = {name for name, value in vars(answer).items() if inspect.isfunction(value)}
    codes = [one.__code__ for one in given.values() if inspect.isfunction(one)]
    called = {name for code in codes for name in _names(code)}
    return min((own - given.keys()) & called, default=None)


def _names(code: CodeType) -> set[str]:
    """The names that code uses, comprehensions and inner functions included."""
    inner = (one for one in code.co_consts if isinstance(one, CodeType))
    return {*code.co_names, *(name for one in inner for name in _names(one))}


def _unreadable(names: Mapping[str, str], answer) -> Verdict:
    """What should have been handed in."""
    shown = ", ".join(f"`{name}`" for name in names)
    if len(names) > 1:
        wanted = f"a class with the methods {shown}"
    elif inspect.isfunction(answer):
        wanted = f"a function of the name {shown}"
    else:
        wanted = f"the function {shown} itself, its name without parentheses behind it"
    found = f"`{answer.__name__}`" if hasattr(answer, "__name__") else feedback.handed_in(answer)
    return Verdict(Status.unreadable, f"Expected: {wanted}; you handed in {found}.")
