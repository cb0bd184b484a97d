"""Exercises and predictions of chapter 05, prefill and decode."""

from labutils.exercises.definition.exercise import Prediction

from .phases_machine import RIDGE
from .phases_practice import BATCH, BILL
from .promise import TOKENS
from .sanity import SANITY_CHECK
from .techniques import TECHNIQUES

ORDER = 5
TITLE = "Prefill and decode"
MINUTES = 75

EXERCISES = (SANITY_CHECK, RIDGE, TOKENS, TECHNIQUES, BILL, BATCH)

PREDICTIONS = (
    Prediction(
        id="phases.thirty_two_users",
        question=(
            "One user alone on an H100 gets 207 tokens a second from an 8B model. How many does "
            "each of 32 users get when they share it?"
        ),
        finding="Each of the 32 users gets tokens at {}.",
        unit="1/s",
        at_least=0,
        explanation=(
            "The weights are read once for all 32. Each further user adds no more than a token's "
            "arithmetic, for which there was time, and a cache of 0.8 % of the weights."
        ),
    ),
    Prediction(
        id="phases.doubled_prompt",
        question=(
            "A prompt of an 8B model grows from 2,048 to 4,096 tokens. By which factor does the "
            "arithmetic before its first token grow?"
        ),
        finding="The arithmetic before the first token grows by a factor of {}.",
        unit="1",
        at_least=0,
        explanation=(
            "Two thousand tokens are few for a model this wide: 97 % of the arithmetic is in the "
            "weights' matrices, and that part grows with the number of tokens, not its square."
        ),
    ),
)
