"""The regressions that bite real engines, by name (vLLM's and nano-vllm's issue trackers)."""

from functools import partial

import pytest

from labutils.serving import BlockManager, OutOfBlocks, Request, chained_keys

PAGE = 4


def manager(num_blocks=8, **options) -> BlockManager:
    return BlockManager(num_blocks, PAGE, **options)


def keys_of(*names):
    """Chained keys by hand: each is the whole path that leads to it."""
    return tuple(names[: at + 1] for at in range(len(names)))


def served(blocks, request_id, tokens, keys=()):
    """Allocate, compute everything, publish."""
    cached = blocks.allocate(request_id, tokens, keys)
    blocks.publish(request_id, tokens)
    return cached


def test_pages_come_in_order_and_only_whole():
    blocks = manager(7)
    assert blocks.allocate("a", 9) == 0
    assert blocks.allocate("b", 4) == 0
    assert (blocks.table("a"), blocks.table("b")) == ((0, 1, 2), (3,))
    assert (blocks.num_free, blocks.num_used) == (3, 4)
    blocks.check()


def test_extending_takes_a_page_only_when_the_last_one_is_full():
    blocks = manager(3)
    blocks.allocate("a", 3)
    blocks.extend("a", 4)
    assert blocks.table("a") == (0,)
    blocks.extend("a", 5)
    assert blocks.table("a") == (0, 1)
    assert blocks.can_extend("a", 12) and not blocks.can_extend("a", 13)


def test_shared_block_has_ref_count_two():
    blocks = manager()
    served(blocks, "a", 11, keys_of("x", "y"))
    assert blocks.allocate("b", 10, keys_of("x", "z")) == PAGE
    shared = blocks.table("a")[0]
    assert blocks.table("b")[0] == shared
    assert [blocks.ref_count(page) for page in blocks.table("b")] == [2, 1, 1]
    assert blocks.num_used == 5
    blocks.free("a")
    assert blocks.ref_count(shared) == 1
    blocks.check()


def test_partial_page_has_no_key():
    blocks = manager()
    keys = keys_of("x", "y")
    blocks.allocate("a", 8, keys)
    blocks.publish("a", 7)
    assert blocks.match(keys) == 1
    blocks.publish("a", 8)
    assert blocks.match(keys) == 2


def test_a_page_is_not_found_before_it_is_computed():
    blocks = manager()
    blocks.allocate("a", 9, keys_of("x", "y"))
    assert blocks.match(keys_of("x", "y")) == 0
    assert blocks.allocate("b", 9, keys_of("x", "y")) == 0


def test_stale_key_after_reuse():
    blocks = manager(3)
    served(blocks, "a", 9, keys_of("x", "y"))
    blocks.free("a")
    assert blocks.match(keys_of("x", "y")) == 2
    blocks.allocate("b", 12)
    assert blocks.match(keys_of("x")) == 0
    blocks.free("b")
    assert served(blocks, "c", 9, keys_of("x", "y")) == 0
    blocks.check()


def test_matched_block_is_not_evicted_while_another_is_free():
    blocks = manager(4)
    served(blocks, "old", 5, keys_of("old"))
    served(blocks, "new", 5, keys_of("new"))
    hit = blocks.table("old")[0]
    blocks.free("old")
    blocks.free("new")
    assert blocks.allocate("again", 16, keys_of("old")) == PAGE
    assert blocks.table("again")[0] == hit
    assert len(set(blocks.table("again"))) == 4
    assert (blocks.match(keys_of("old")), blocks.match(keys_of("new"))) == (1, 0)
    blocks.check()


def test_matched_block_evicted():
    """The only free pages are the ones just matched: they must not be handed out as fresh ones."""
    blocks = manager(3)
    served(blocks, "a", 9, keys_of("x", "y"))
    blocks.free("a")
    blocks.allocate("wall", 4)
    assert not blocks.can_allocate(13, keys_of("x", "y"))
    with pytest.raises(OutOfBlocks, match="'b' needs 4 more pages of 4 tokens; 2 of 3 are free"):
        blocks.allocate("b", 13, keys_of("x", "y"))
    assert blocks.match(keys_of("x", "y")) == 2
    blocks.check()


def test_failed_allocation_changes_nothing():
    blocks = manager(5)
    served(blocks, "a", 9, keys_of("x", "y"))
    blocks.free("a")
    blocks.allocate("wall", 9)
    before = (blocks.num_free, blocks.tables(), blocks.hits, blocks.queries)
    with pytest.raises(OutOfBlocks):
        blocks.allocate("b", 13, keys_of("x", "y"))
    with pytest.raises(OutOfBlocks):
        blocks.extend("wall", 22)
    assert (blocks.num_free, blocks.tables(), blocks.hits, blocks.queries) == before
    blocks.check()
    assert blocks.allocate("b", 8, keys_of("x", "y")) == PAGE


def test_fully_cached_prompt_leaves_a_token_to_compute():
    blocks = manager()
    served(blocks, "a", 8, keys_of("x", "y"))
    assert blocks.allocate("b", 8, keys_of("x", "y")) == 4
    assert blocks.allocate("c", 9, keys_of("x", "y")) == 8
    assert blocks.allocate("one", 4, keys_of("x")) == 0


def test_hit_together_with_preemption():
    """A victim that shares a prefix gives up its own pages only, and hits its own work again."""
    blocks = manager(6)
    keys = keys_of("x", "y", "z")
    served(blocks, "first", 9, keys[:2])
    blocks.allocate("victim", 14, keys)
    blocks.publish("victim", 12)
    assert blocks.num_free == 1
    blocks.free("victim")
    assert blocks.table("first") == (0, 1, 2)
    assert blocks.num_free == 3
    assert blocks.allocate("victim", 14, keys, count=False) == 12
    assert [blocks.ref_count(page) for page in blocks.table("victim")] == [2, 2, 1, 1]
    blocks.check()


def test_hits_count_first_admissions_only():
    blocks = manager()
    served(blocks, "a", 9, keys_of("x", "y"))
    served(blocks, "b", 9, keys_of("x", "q"))
    assert (blocks.hits, blocks.queries) == (1, 4)
    blocks.free("b")
    blocks.allocate("b", 9, keys_of("x", "q"), count=False)
    assert (blocks.hits, blocks.queries) == (1, 4)


def test_tail_goes_before_head():
    blocks = manager(4)
    served(blocks, "a", 16, keys_of("x", "y", "z", "w"))
    blocks.free("a")
    blocks.allocate("b", 8)
    assert blocks.match(keys_of("x", "y", "z", "w")) == 2


def test_pages_without_a_key_are_reused_first_and_the_last_one_freed_comes_first():
    blocks = manager(6)
    served(blocks, "a", 5, keys_of("x"))  # pages 0, 1
    blocks.allocate("b", 8)  # pages 2, 3
    blocks.free("a")
    blocks.free("b")
    blocks.allocate("c", 20)
    assert blocks.table("c") == (2, 3, 1, 4, 5)
    assert blocks.match(keys_of("x")) == 1


def test_a_hit_renews_the_whole_prefix():
    blocks = manager(4)
    served(blocks, "a", 5, keys_of("x"))
    served(blocks, "b", 5, keys_of("y"))
    for request_id in "ab":
        blocks.free(request_id)
    served(blocks, "a2", 5, keys_of("x"))
    blocks.free("a2")
    blocks.allocate("c", 12)
    assert (blocks.match(keys_of("x")), blocks.match(keys_of("y"))) == (1, 0)


def test_two_requests_that_compute_the_same_page_keep_a_copy_each():
    blocks = manager(6)
    keys = keys_of("x", "y")
    blocks.allocate("a", 9, keys)
    blocks.allocate("b", 9, keys)
    blocks.publish("a", 9)
    blocks.publish("b", 9)
    assert not set(blocks.table("a")) & set(blocks.table("b"))
    blocks.check()
    blocks.free("b")
    assert blocks.num_idle == 0 and blocks.match(keys) == 2
    blocks.free("a")
    assert blocks.num_idle == 2
    blocks.check()


def test_without_prefix_sharing_nothing_is_ever_found():
    blocks = manager(prefix_sharing=False)
    served(blocks, "a", 9, keys_of("x", "y"))
    assert blocks.match(keys_of("x", "y")) == 0
    assert blocks.allocate("b", 9, keys_of("x", "y")) == 0
    blocks.free("a")
    assert (blocks.num_idle, blocks.queries) == (0, 0)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda blocks: blocks.allocate("a", 4), "request_id = 'a'"),
        (lambda blocks: blocks.allocate("b", 0), "tokens = 0: expected a whole number"),
        (lambda blocks: blocks.free("ghost"), "request_id = 'ghost'"),
        (lambda blocks: blocks.table("ghost"), "request_id = 'ghost'"),
        (lambda blocks: blocks.publish("a", 9), "computed_tokens = 9: expected at most the 8"),
        (lambda blocks: BlockManager(0), "num_blocks = 0"),
        (lambda blocks: BlockManager(4, 0), "page_tokens = 0"),
    ],
)
def test_bad_input_names_the_argument(call, message):
    blocks = manager()
    blocks.allocate("a", 7)
    with pytest.raises(ValueError, match=message):
        call(blocks)
    blocks.check()


def test_chained_keys_depend_on_parent_and_salt():
    alike = chained_keys([1, 2, 3, 4, 5, 6, 7, 8, 9], 4)
    other_head = chained_keys([9, 2, 3, 4, 5, 6, 7, 8, 9], 4)
    assert len(alike) == 2
    assert alike == chained_keys([1, 2, 3, 4, 5, 6, 7, 8], 4)
    assert alike[1] != other_head[1]
    assert alike[0] == chained_keys([1, 2, 3, 4, 0, 6], 4)[0]
    assert not set(alike) & set(chained_keys([1, 2, 3, 4, 5, 6, 7, 8], 4, salt="tenant"))
    assert chained_keys([1, 2, 3], 4) == ()


def test_a_request_brings_its_own_keys():
    prompt = list(range(50))
    asked = Request("a", len(prompt), 7, keys=partial(chained_keys, prompt))
    assert asked.keys(16) == chained_keys(prompt, 16) and len(asked.keys(16)) == 3
    assert Request("b", 50, 7).keys(16) == ()
    assert asked.max_tokens == 57


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"prompt_tokens": 0, "max_output_tokens": 5}, "prompt_tokens = 0"),
        ({"prompt_tokens": 5, "max_output_tokens": 0}, "max_output_tokens = 0"),
        ({"prompt_tokens": 5, "max_output_tokens": 1.5}, "max_output_tokens = 1.5"),
        ({"prompt_tokens": 5, "max_output_tokens": 5, "arrival_s": float("nan")}, "arrival_s"),
        ({"prompt_tokens": 5, "max_output_tokens": 5, "arrival_s": float("-inf")}, "arrival_s"),
    ],
)
def test_a_request_of_no_tokens_is_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        Request("a", **arguments)
