"""The learner's functions in the place of a class's methods."""

from collections.abc import Callable


def assembled(reference: type, **methods: Callable) -> type:
    """A class like ``reference`` in which ``methods`` stand for those of the same names.

    >>> class Greeter:
    ...     def greet(self):
    ...         return f"{self.word()}!"
    ...     def word(self):
    ...         return "Hello"
    >>> assembled(Greeter, word=lambda self: "Good morning")().greet()
    'Good morning!'

    ``ValueError`` for a name that ``reference`` lacks, or for what cannot be called.
    """
    for name, method in methods.items():
        if not callable(getattr(reference, name, None)):
            raise ValueError(f"{name}: expected a method of {reference.__name__}")
        if not callable(method):
            raise ValueError(f"{name} = {method!r}: expected a function")
    return type(reference.__name__, (reference,), dict(methods))
