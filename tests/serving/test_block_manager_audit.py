"""The audit finds the leaks that it is there for."""

import pytest

from labutils.serving import BlockManager, PageLeak
from labutils.serving.page_runs import Run


def busy() -> BlockManager:
    blocks = BlockManager(6, 4)
    for name, tokens, keys in (("a", 9, ("x", "xy")), ("b", 6, ("x",)), ("c", 5, ("q",))):
        blocks.allocate(name, tokens, keys)
        blocks.publish(name, tokens)
    blocks.free("c")
    return blocks


def lose_a_blank_page(blocks):
    blocks._blank.pop()


def hand_out_a_page_twice(blocks):
    blocks._held["b"].pages.append(blocks._blank[-1])


def forget_a_holder(blocks):
    blocks._held["a"].runs[0].holders.pop()


def leave_a_stale_key(blocks):
    blocks._runs._by_first_key["stale"] = Run(("stale",), [blocks._blank[0]], set())


def miscount_idle_pages(blocks):
    blocks._runs.num_idle += 1


def hold_what_is_idle(blocks):
    run = next(iter(blocks._runs._idle))
    run.holders.add(blocks._held["a"])


def lead_two_keys_to_a_page(blocks):
    blocks._runs._by_first_key["again"] = Run(("again",), blocks._held["a"].pages[:1], set())


def hold_one_page_twice(blocks):
    blocks._held["a"].pages[2] = blocks._held["a"].pages[1]


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lose_a_blank_page, "in 0 places"),
        (hand_out_a_page_twice, "in 2 places"),
        (forget_a_holder, "2 requests hold it, the books say 1"),
        (leave_a_stale_key, "blank, yet a key leads to it"),
        (miscount_idle_pages, "1 pages are idle, the books say 2"),
        (hold_what_is_idle, "idle, yet the books say that it is held"),
        (lead_two_keys_to_a_page, "two keys lead to one page"),
        (hold_one_page_twice, "in 0 places"),
    ],
)
def test_a_leak_is_named(damage, message):
    blocks = busy()
    blocks.check()
    damage(blocks)
    with pytest.raises(PageLeak, match=message):
        blocks.check()
