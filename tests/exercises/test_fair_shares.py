"""The drill's rule of who is active is not the paper's; its explanation says what that costs."""

from labutils.exercises.catalog.interview_drills.fair_shares.fair import FAIR
from labutils.exercises.catalog.interview_drills.fair_shares.schedulers import Fair

MISTAKES = {mistake.name: mistake.answer for mistake in FAIR.checker.misconceptions}


def of_a_burst(kind) -> int:
    """Of twenty picks those of a tenant that comes with a burst, one answer of its own at work.

    Another tenant was served twenty requests meanwhile, and has more in the queue.
    """
    scheduler = kind(1, 2, {})
    scheduler.submit("long", "late", 10)
    assert scheduler.pick() == "long"
    for number in range(60):
        scheduler.submit(f"busy {number}", "busy", 100)
    for _ in range(20):
        scheduler.pick()
    for number in range(60):
        scheduler.submit(f"burst {number}", "late", 100)
    picks = [scheduler.pick() for _ in range(20)]
    return sum(name.startswith("burst") for name in picks)


def test_a_tenant_with_an_answer_at_work_collects_credit_by_the_drills_rule_alone():
    assert of_a_burst(Fair) == 20  # it has the machine until it has caught up
    assert of_a_burst(MISTAKES["as-in-the-paper"]) == 10
    assert "bound" in FAIR.explanation and "waits *or runs*" in FAIR.explanation
