"""How many experts a batch wakes: against every possible choice, and against draws."""

import itertools

import numpy as np
import pytest

from labutils import llm


@pytest.mark.parametrize("experts, chosen, tokens", ((5, 2, 3), (4, 1, 5), (6, 3, 2), (3, 3, 2)))
def test_coverage_is_the_mean_over_all_choices(experts, chosen, tokens):
    one = list(itertools.combinations(range(experts), chosen))
    woken = [len(set().union(*batch)) for batch in itertools.product(one, repeat=tokens)]
    assert llm.expert_coverage(experts, chosen, tokens) == pytest.approx(np.mean(woken), rel=1e-12)


def test_thirty_two_tokens_wake_112_of_128_experts():
    rng = np.random.default_rng(20261121)
    woken = [
        len(np.unique(rng.random((32, 128)).argpartition(8, axis=1)[:, :8])) for _ in range(400)
    ]
    covered = llm.expert_coverage(128, 8, 32)
    assert covered == pytest.approx(112, abs=0.5)
    assert np.mean(woken) == pytest.approx(covered, abs=5 * np.std(woken) / 20)


def test_coverage_of_an_array_is_that_of_each_number():
    tokens = np.array([0, 1, 2, 17, 1000])
    each = [llm.expert_coverage(32, 4, int(t)) for t in tokens]
    assert llm.expert_coverage(32, 4, tokens).tolist() == pytest.approx(each)
    assert each[0] == 0
    assert each[1] == pytest.approx(4)
    assert isinstance(each[1], float)


@pytest.mark.parametrize(
    "arguments, message",
    (
        ((8, 9, 1), "per_token = 9: expected at most num_experts = 8"),
        ((0, 1, 1), "num_experts = 0"),
        ((8, 0, 1), "per_token = 0"),
        ((8, 2, -1), "tokens = -1"),
        ((8, 2, float("nan")), "tokens = nan"),
    ),
)
def test_choices_that_cannot_be_are_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        llm.expert_coverage(*arguments)
