"""A learner's router at the door: what it is shown, and the books that are kept for it."""

import pickle

import pytest

from labutils.ray_fleet.door_desk import Asked, Desk


class LeastInFlight:
    def choose(self, request, views):
        self.seen = request, list(views.up), views.in_flight
        return min(views.up, key=lambda number: views.in_flight[number])


def desk_of(router, **options):
    return Desk(router, page_tokens=4, **options)


def test_requests_count_from_the_choice_to_the_end():
    desk = desk_of(LeastInFlight())
    some = [desk.arrival(range(5)) for _ in range(4)]
    assert [desk.choose(one, ["b", "a", "c"]) for one in some] == ["a", "b", "c", "a"]
    desk.ended(some[0])
    desk.ended(some[0])
    assert desk.counts() == [1, 1, 1]


def test_a_replica_that_takes_anothers_place_has_a_number_of_its_own():
    desk = desk_of(LeastInFlight())
    desk.choose(desk.arrival([1]), ["a", "b"])
    assert desk.choose(desk.arrival([1]), ["b", "c"]) == "b"
    assert desk.router.seen[1:] == ([1, 2], [1, 0, 0])


def test_equal_prefixes_have_equal_names_of_pages():
    desk = desk_of(LeastInFlight())
    one, other = desk.arrival([*range(8), 7]), desk.arrival([*range(8), 9, 9, 9, 9])
    assert one.pages == other.pages[:2] and len(other.pages) == 3
    assert (one.row, other.row, one.prompt_tokens) == (0, 1, 9)


def test_a_request_that_is_chosen_for_again_counts_once():
    desk = desk_of(LeastInFlight())
    arrival = desk.arrival([1])
    desk.choose(arrival, ["a", "b"])
    desk.choose(arrival, ["b"])
    assert desk.counts() == [0, 1]


@pytest.mark.parametrize("answer", [2, -1, "a", None])
def test_an_answer_that_is_no_replica_is_an_error(answer):
    desk = desk_of(type("Router", (), {"choose": lambda *_: answer})())
    with pytest.raises(ValueError, match="expected one of"):
        desk.choose(desk.arrival([1]), ["a", "b"])


def test_a_replica_can_be_asked_by_its_number_and_hears_nothing_of_the_desk():
    desk = desk_of(LeastInFlight())
    asked = Asked("GET", "/ready", [], b"", desk, number=1)
    assert asked.chosen(["a", "b"]) == "b" and asked.chosen(["a"]) is None
    assert pickle.loads(pickle.dumps(asked)).desk is None and desk.counts() == [0, 0]


@pytest.mark.parametrize(
    ("path", "body", "read"),
    [
        ("/v1/completions", b'{"prompt": "one"}', "one"),
        ("/v1/completions", b'{"prompt": ["one"]}', "one"),
        ("/v1/completions", b'{"prompt": [3, 7]}', [3, 7]),
        ("/v1/chat/completions", b'{"messages": [{"role": "user", "content": "one"}]}',
         "user: one\nassistant:"),
        ("/v1/completions", b'{"prompt": "longer than the context"}', None),
        ("/v1/completions", b'{"prompt": 5}', None),
        ("/v1/completions", b'{"prompt": [[1], [2]]}', None),
        ("/v1/completions", b"[]", None),
        ("/ready", b"", None),
    ],
)  # fmt: skip
def test_the_router_is_shown_the_prompt_that_the_server_will_read(path, body, read):
    assert Asked("POST", path, [], body).prompt_or(None, longest_text=20) == read
