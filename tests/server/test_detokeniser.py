"""What is sent as it comes adds up to what the engine says, and nothing is taken back."""

import random

import pytest

from labutils.engine import Generation
from labutils.server import Detokeniser


def finished(tokens, stop, tokenizer):
    """The text of an answer that ends where the engine would end it, and the tokens up to there."""
    request = Generation("r", [0], len(tokens), stop=stop, tokenizer=tokenizer)
    for n, token in enumerate(tokens):
        if request.take(token, float(n)):
            break
    return request.words(), request.answer


@pytest.mark.parametrize("seed", range(40))
def test_pieces_add_up_to_the_engines_text(draft, seed):
    _, tokenizer = draft
    draw = random.Random(seed)
    text = "a queue grows — wörter, 漢字 und 🙂, then it stops; STOP. " * 2
    tokens = tokenizer.encode(text) + [draw.randrange(tokenizer.vocab_size) for _ in range(25)]
    draw.shuffle(tokens)
    stop = draw.sample(
        ["STOP", "e t", "queue", "🙂,", " s", "zzz", "g", "\n\n"], k=draw.randrange(4)
    )
    whole, taken = finished(tokens, stop, tokenizer)
    for at_a_time in (1, 4):
        words, sent = Detokeniser(tokenizer.decode, stop), ""
        for at in range(0, len(taken), at_a_time):
            sent += words.push(*taken[at : at + at_a_time])
            assert whole.startswith(sent)
        assert sent + words.end(whole) == whole


def test_the_beginning_of_a_stop_string_is_held_back_until_it_can_be_told():
    def decode(tokens):
        return "".join(chr(token) for token in tokens)

    words = Detokeniser(decode, ["STOP", "TOY"])
    told = [words.push(ord(sign)) for sign in "aSTxSTO"]
    assert told == ["a", "", "", "STx", "", "", ""]
    assert words.push(ord("Y")) == "S"  # "TOY" has come, so the "S" before it is certain
    assert words.push(ord("b")) == "" and words.end("aSTxS") == ""


def test_half_a_character_waits_for_its_other_half():
    def decode(tokens):
        return bytes(tokens).decode(errors="replace")

    words = Detokeniser(decode)
    assert [words.push(byte) for byte in "ä🙂".encode()] == ["", "ä", "", "", "", "🙂"]


def test_bytes_that_never_become_a_character_are_told_before_the_end():
    asked = []

    def decode(tokens):
        asked.append(len(tokens))
        return b"".join(tokens).decode(errors="replace")

    pieces = [b"ok", *[b"\xff"] * 40, b"\xf0", b"\x9f\x98\x80\xff", *[b"\xff"] * 9, b"a"]
    words, sent, whole = Detokeniser(decode), "", b"".join(pieces).decode(errors="replace")
    for number, piece in enumerate(pieces, 1):
        sent += words.push(piece)
        assert whole.startswith(sent)
        late = len(b"".join(pieces[:number]).decode(errors="replace")) - len(sent)
        assert late <= 7
    assert sent + words.end(whole) == whole and max(asked) < 20


def test_an_answer_that_ends_in_half_a_character_is_told_whole_at_the_end():
    def decode(tokens):
        return bytes(tokens).decode(errors="replace")

    words = Detokeniser(decode)
    assert [words.push(byte) for byte in b"a\xf0\x9f"] == ["a", "", ""]
    assert words.end(decode(b"a\xf0\x9f")) == "\ufffd"
