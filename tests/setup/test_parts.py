"""What the workers of a test run take in one piece: files, and parts of the longest."""

import pytest

from tests.conftest import part_of

PROOFS = "tests/test_exercise_proofs.py"
EDITIONS = "tests/notebooks/test_editions.py"


@pytest.mark.parametrize(
    ("test", "part"),
    [
        (f"{PROOFS}::test_exercise_is_proved[two.tracker]", f"{PROOFS}::two_numbers"),
        (f"{PROOFS}::test_no_mutant_of_the_reference_passes[two.users]", f"{PROOFS}::two_numbers"),
        (f"{PROOFS}::test_exercise_is_proved[mm1.recursion]", f"{PROOFS}::mm1_explosion"),
        (f"{PROOFS}::test_no_proof_is_left_over[two_numbers]", PROOFS),
        (f"{EDITIONS}::test_learner_edition[03_mm1]", f"{EDITIONS}::test_learner_edition[03_mm1]"),
        (f"{EDITIONS}::test_there_are_chapters", f"{EDITIONS}::test_there_are_chapters"),
        ("tests/authoring/test_editions.py::test_a[x.y]", "tests/authoring/test_editions.py"),
        ("tests/viz/test_sketch.py::TestWalk::runTest", "tests/viz/test_sketch.py"),
    ],
)
def test_the_proofs_of_a_chapter_stay_together_and_each_run_of_an_edition_is_alone(test, part):
    assert part_of(test) == part
