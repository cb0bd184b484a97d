"""Where an answer ends: by number, by string, by rule; and what it says in words."""

import random

import pytest

from labutils.engine import Engine, Generation

from .jobs import plain_answer, require_empty, tiny_model


class Letters:
    """A tokenizer of letters; the token 0 has none."""

    def encode(self, text):
        return [ord(letter) - 64 for letter in text]

    def decode(self, tokens):
        if 0 in tokens:
            raise UnicodeError("token 0 has no letter")
        return "".join(chr(64 + token) for token in tokens)


class Syllables:
    """Tokens of one to three bytes; what is no whole letter yet reads as a replacement mark."""

    def __init__(self):
        pieces = [b"a", b"b", b"ab", b"ba", b"abb", b" ", b"\xc3", b"\xa9", b"\xc3\xa9", b"b\xc3"]
        self.pieces = pieces

    def decode(self, tokens):
        return b"".join(self.pieces[token] for token in tokens).decode(errors="replace")


class Script(Engine):
    """Says what it was told to, whatever it reads."""

    script: tuple = ()

    def _forward(self, chunks):
        caught_up = [one for one, new in chunks if one.computed + new == one.known]
        return [(one, self.script[len(one.answer)]) for one in caught_up]


def said(script, stop, tokenizer=None, **options):
    engine = Script(tiny_model(), tokenizer=tokenizer)
    engine.script = script
    given = {"max_output_tokens": len(script), "stop": stop, **options}
    id = engine.add_request([1, 2], **given)
    engine.run()
    require_empty(engine)
    return engine.requests[id]


@pytest.mark.parametrize(
    "stop, length",
    (
        ((), 9),
        ((7,), 4),
        ([33, 7], 3),
        ({2, 60}, 9),
        (lambda answer: len(answer) == 5, 5),
        (lambda answer: answer[-2:] == [33, 7], 4),
        (lambda answer: sum(answer) > 10**6, 9),
    ),
)
def test_numbers_and_rules(stop, length):
    script = [5, 6, 33, 7, 8, 33, 7, 1, 1]
    request = said(script, stop)
    assert request.answer == script[:length]
    assert request.finish_reason == ("stop" if length < 9 else "length")
    assert request.text is None and len(request.times_s) == length


def test_the_last_token_that_may_come_can_be_a_stop_token():
    assert said([5, 6, 7], (7,)).finish_reason == "stop"
    assert said([5, 6, 7], (9,)).finish_reason == "length"


def test_a_rule_is_asked_once_for_each_token_and_sees_the_answer_alone():
    seen = []
    said([5, 6, 7], lambda answer: seen.append(list(answer)))
    assert seen == [[5], [5, 6], [5, 6, 7]]


def first_end(script, words, tokenizer) -> int:
    """Tokens until one of ``words`` stands in the whole text."""
    for length in range(1, len(script)):
        text = tokenizer.decode(script[:length])
        if any(word in text for word in words):
            return length
    return len(script)


@pytest.mark.parametrize(
    "words",
    (["bab"], ["é"], ["aé"], ["b a", "éé"], ["abba", "é b", "aaaa"], ["ba", "ab", "bb", "aa"]),
)
def test_strings_end_an_answer_wherever_tokens_cut_them(words):
    """Against the text of the whole answer, token by token."""
    draw, tokenizer, ends = random.Random(str(words)), Syllables(), []
    for _ in range(60):
        script = [draw.randrange(10) for _ in range(25)]
        request = said(script, words, tokenizer)
        length = first_end(script, words, tokenizer)
        assert request.answer == script[:length]
        text = tokenizer.decode(script[:length])
        found = [text.index(word) for word in words if word in text]
        assert request.text == (text[: min(found)] if found else text)
        assert request.finish_reason == ("stop" if found else "length")
        ends.append(length)
    assert len(set(ends)) > 6


class Looked(list):
    """Remembers how many tokens were read at most in one piece."""

    most = 0

    def __getitem__(self, at):
        found = super().__getitem__(at)
        self.most = max(self.most, len(found) if isinstance(at, slice) else 1)
        return found


@pytest.mark.parametrize("stop", ((), (300,), ("ééa", 300)))
def test_a_token_of_a_long_answer_costs_no_more_than_one_of_a_short_one(stop):
    request = Generation("a", [1] * 50, 400, stop=stop, tokenizer=Syllables())
    request.tokens = Looked(request.tokens)
    assert [request.take(0, 0.0) for _ in range(400)] == [None] * 399 + ["length"]
    assert request.tokens.most <= 5


@pytest.mark.parametrize("word", ("éé", "bé", "aéb"))
def test_a_string_spelled_byte_by_byte_ends_an_answer(word):
    tokenizer = Syllables()
    spelled = [tokenizer.pieces.index(bytes([byte])) for byte in word.encode()]
    request = said([0, 5, *spelled, 1, 1], [word], tokenizer)
    assert request.answer == [0, 5, *spelled] and request.text == "a "


def test_a_stop_token_is_left_out_of_the_text_and_a_number_may_stand_beside_a_string():
    letters, script = Letters(), Letters().encode("LATENCY")
    assert said(script, (3,), letters).text == "LATEN"
    assert said(script, ("TE", 3), letters).text == "LA"
    assert said(script, ("CYX", 3), letters).text == "LATEN"
    assert said(script, lambda answer: answer[-1] == 3, letters).text == "LATENC"


def test_one_string_is_one_string():
    request = said(Letters().encode("LATENCY"), "TEN", Letters())
    assert (request.text, request.finish_reason) == ("LA", "stop")


@pytest.mark.parametrize("stop", (("end",), "end", {3, "end"}))
def test_a_string_to_stop_at_needs_a_tokenizer(stop):
    engine = Engine(tiny_model())
    request = engine.generate([[1]], stop=stop)[0]
    assert request.finish_reason == "rejected" and "no tokenizer" in str(request.error)
    with pytest.raises(ValueError, match="expected token numbers, as there is no tokenizer"):
        Generation("a", [1], 3, stop=stop)


def test_text_goes_in_and_comes_out():
    engine = Engine(tiny_model(), tokenizer=Letters())
    text = "LATENCY"
    expected = plain_answer(Letters().encode(text), 9)
    free, stopped = (
        engine.generate([text], max_output_tokens=9, stop=s)[0] for s in ((), expected[5:6])
    )
    assert free.text == Letters().decode(expected)
    at = expected.index(expected[5])
    assert stopped.answer == expected[: at + 1] and stopped.finish_reason == "stop"
    assert stopped.text == free.text[:at]
    assert engine.generate(["lower case~"])[0].finish_reason == "rejected"


def test_an_answer_without_words_fails_alone():
    engine = Engine(tiny_model(), tokenizer=Letters())
    prompt = next([n] for n in range(1, 61) if 0 in plain_answer([n], 12))
    beside = next([n] for n in range(1, 61) if 0 not in plain_answer([n], 12))
    bad, good = engine.generate([prompt, beside], max_output_tokens=12)
    require_empty(engine)
    assert (bad.finish_reason, bad.text) == ("failed", None)
    assert "no letter" in str(bad.error)
    assert bad.answer == plain_answer(prompt, 12)
    assert (good.finish_reason, good.text) == ("length", Letters().decode(good.answer))


def test_words_that_cannot_be_said_do_not_hide_the_first_error():
    def broken(id, token):
        raise ConnectionError("gone")

    request = said([0, 1], (), Letters(), on_token=broken)
    assert (request.finish_reason, str(request.error)) == ("failed", "gone")
