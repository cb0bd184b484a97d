"""Exercises and predictions of lab 6, the learner's own engine."""

from .attention import BUCKETS, PAGED
from .compute import COMPUTE
from .forward import FORWARD
from .hand_out import HAND_OUT
from .pack import PACK
from .sample import SAMPLE
from .sampling import CUT, DRAW
from .step import STEP
from .take import TAKE, WORDS

ORDER = 16
TITLE = "Your engine"

EXERCISES = (PACK, CUT, DRAW, SAMPLE, TAKE, WORDS, FORWARD, STEP, HAND_OUT, COMPUTE, PAGED, BUCKETS)

PREDICTIONS = ()
