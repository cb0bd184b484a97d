"""The audit finds the leaks that it is there for."""

import pytest

from labutils.serving import BlockManager, PageLeak


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
    blocks._holders[blocks.table("a")[0]] -= 1


def leave_a_stale_key(blocks):
    blocks._page_of["stale"] = blocks._blank[0]


def miscount_idle_pages(blocks):
    blocks._num_idle += 1


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
        (hold_one_page_twice, "in 0 places"),
    ],
)
def test_a_leak_is_named(damage, message):
    blocks = busy()
    blocks.check()
    damage(blocks)
    with pytest.raises(PageLeak, match=message):
        blocks.check()
