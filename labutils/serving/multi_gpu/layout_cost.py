"""What a step of the simulator takes under a layout: in the place of a ``StepCost``."""

from labutils.llm.layouts import Deployment, LayoutStep, Work, decode_micro_batches
from labutils.llm.steps.attention import decode_attention_flops, flops_per_pair
from labutils.serving.scheduling.step_shape import StepShape


class LayoutCost:
    """Seconds of a step of one copy of ``deployment``, whose scheduler plans for all its cards.

    The terms are the deployment's own. A step's tokens are dealt to as many micro-batches as the
    pipeline has stages (prompts can be cut anywhere, rows cannot), and its steps follow each other
    without a gap. Copies that share their experts are taken to bring as many tokens as this one at
    the same time. Sequences are taken to be equally long where a window or an indexer bounds what
    they read, and prompts to attend to all of theirs.

    The compiled simulator takes sums alone: ``StepCost.of_deployment``, near a stated load.
    """

    def __init__(self, deployment: Deployment):
        self.deployment = deployment
        self._model, self._width = deployment.model, deployment.rates.bytes_per_value
        self._per_pair = self._model.attention_layers * flops_per_pair(self._model)
        stage, layout = deployment.stage, deployment.layout
        self._kv_s = stage.kv_share / stage.bytes_per_s
        self._flop_s = 1 / (layout.cards_of_a_copy * stage.flops_per_s)
        self._without_attention: dict[tuple[int, int], float] = {}

    def time_s(self, shape: StepShape) -> float:
        """Seconds of one step: ``step(shape).time_s``, with what attention leaves alone kept."""
        prefill_tokens, pairs, rows, context = shape
        turns = self.deployment.layout.pp / self._micro_batches(prefill_tokens, rows)
        key = prefill_tokens, rows
        plain_s = self._without_attention.get(key)
        if plain_s is None:
            plain_s = self.step(StepShape(prefill_tokens, 0, rows, 0)).time_s
            plain_s -= turns * self._attention_s(rows, 0.0)
            self._without_attention[key] = plain_s
        attention_s = self._attention_s(rows, context / rows if rows else 0.0)
        return plain_s + turns * (attention_s + self._per_pair * pairs * self._flop_s)

    def _attention_s(self, rows: int, mean: float) -> float:
        """Seconds of the rows that decode, at their mean context: a linear state counts at 0."""
        read_s = rows * self._model.kv_bytes_read(mean, self._width) * self._kv_s
        return max(read_s, rows * decode_attention_flops(self._model, mean) * self._flop_s)

    def step(self, shape: StepShape) -> LayoutStep:
        """The same by term."""
        prefill_tokens, pairs, rows, context = shape
        mean = context / rows if rows else 0.0
        work = Work(
            tokens=prefill_tokens + rows,
            rows=rows,
            kv_bytes=rows * self._model.kv_bytes_read(mean, self._width),
            decode_flops=rows * decode_attention_flops(self._model, mean),
            prefill_flops=self._per_pair * pairs,
            prompt_kv_bytes=self._model.kv_bytes(prefill_tokens, self._width),
        )
        return self.deployment.round(work, self._micro_batches(prefill_tokens, rows))

    def late_s(self, duration_s):
        """Seconds from the end of a step to its first tokens: p − 1 of its p stages are left.

        The next step begins when the last piece of this one has entered the pipeline; the piece
        itself, the end of a prompt, comes out so much later.
        """
        stages = self.deployment.layout.pp
        return duration_s * (stages - 1) / stages

    def _micro_batches(self, prefill_tokens: int, rows: int) -> int:
        stages = self.deployment.layout.pp
        return stages if prefill_tokens else decode_micro_batches(stages, max(rows, 1))
