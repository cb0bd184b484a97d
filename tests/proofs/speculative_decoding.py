"""Proofs of lab 7: mistakes that learners make, and right answers of other styles."""

from itertools import takewhile

import numpy as np

from labutils.exercises.definition.verdict import Status
from tests.proofs.proof import Proof

# --- speculative.greedy -------------------------------------------------------------------------


def zipped(drafted, likeliest):
    same = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(drafted, likeliest)))
    return likeliest[: same + 1]


def recursively(drafted, likeliest):
    if drafted and drafted[0] == likeliest[0]:
        return [drafted[0], *recursively(drafted[1:], likeliest[1:])]
    return [likeliest[0]]


def stays_put(drafted, likeliest):
    found = []
    for draft, token in zip(drafted, likeliest):
        if draft != token:
            break
        found.append(draft)
    return found


def skips(drafted, likeliest):
    found = [token for draft, token in zip(drafted, likeliest) if draft == token]
    return [*found, likeliest[len(found)]]


def appends_behind(drafted, likeliest):
    for place, draft in enumerate(drafted):
        if draft != likeliest[place]:
            return [*drafted[: place + 1], likeliest[place]]
    return [*drafted, likeliest[-1]]


def only_if_refused(drafted, likeliest):
    for place, draft in enumerate(drafted):
        if draft != likeliest[place]:
            return [*drafted[:place], likeliest[place]]
    return drafted if drafted else [likeliest[0]]


# --- the others are handed in as the notebook hands them in --------------------------------------

VERIFICATION = '''
def verification(chunks, drafted, page_tokens, device):
    """Each row by itself first, then the places."""
    extras = [list(drafted[one]) if one in drafted else [] for one, _ in chunks]
    rows = [
        (Stretch([*one.tokens, *extra], one.computed, one.computed + new + len(extra), one.pages),
         new + len(extra))
        for (one, new), extra in zip(chunks, extras)
    ]
    step, places, wanted, begin = pack(rows, page_tokens, device), [], [], 0
    for (one, new), extra, (_, length) in zip(chunks, extras, rows):
        caught_up = new >= one.known - one.computed
        if caught_up:
            wanted.append(Wanted(one, len(places), len(extra) + 1))
            for back in range(len(extra), -1, -1):
                places.append(begin + length - 1 - back)
        begin += length
    step.last.resize_(0)
    return replace(step, last=torch.tensor(places, dtype=torch.long)), wanted
'''

MISSING = '''
def missing(target, draft):
    """Normalised, with a mask."""
    owed = torch.where(target > draft, target - draft, torch.zeros_like(target))
    total = owed.sum()
    return owed / total if total > 0 else target.clone()
'''

ACCEPTED = '''
def accepted(drafted, draft_shares, target_shares, chance):
    """With the quotient."""
    kept = []
    for row, word in enumerate(drafted):
        stay = min(1.0, (target_shares[row][word] / draft_shares[row][word]).item())
        if not chance() < stay:
            kept.append(drawn(missing(target_shares[row], draft_shares[row]), chance()))
            break
        kept.append(word)
    else:
        kept.append(drawn(target_shares[-1], chance()))
    return kept
'''

GIVE_BACK = '''
def give_back(pool, request):
    """Slices once."""
    keep = (request.computed + pool.page_tokens - 1) // pool.page_tokens
    gone = request.pages[keep:]
    del request.pages[keep:]
    request.room = len(request.pages) * pool.page_tokens
    for page in gone[::-1]:
        pool.owners[page] -= 1
        if pool.owners[page] == 0:
            pool.drop(page)
'''

FOLLOWED = '''
def followed(self, text, count):
    """Forwards, the last one found counts."""
    text = list(text)
    for length in range(self.longest, self.shortest - 1, -1):
        if length >= len(text):
            continue
        end = text[-length:]
        places = [at for at in range(len(text) - length) if text[at : at + length] == end]
        if places:
            behind = places[-1] + length
            return text[behind : behind + count]
    return []
'''


def _line_of(source, *changes):
    return _changed(source, changes) + "\nanswer = kit.line_of(verification)\n"


def _lists(source, *changes):
    return _changed(source, changes) + "\nanswer = kit.on_lists(missing)\n"


def _numbers(source, *changes):
    return _changed(source, changes) + "\nanswer = kit.by_numbers(accepted)\n"


def _books(source, *changes):
    return _changed(source, changes) + "\nanswer = kit.books_after(give_back)\n"


def _text(source, *changes):
    return _changed(source, changes) + "\nanswer = on_text(followed)\n"


def _changed(source, changes):
    for old, new in zip(changes[::2], changes[1::2]):
        assert source.count(old) == 1, old
        source = source.replace(old, new)
    return source


KNOWN = "known = request.computed + new + len(extra)"
LAST = "`known` decides `last` alone, which is replaced"
LENGTHS = "for length in range(min(self.longest, len(text) - 1), self.shortest - 1, -1):"
BEFORE = "for at in range(len(text) - length - 1, -1, -1):"
NO_PLACE = "there is no place before an end as long as the text"
EMPTY = "a slice from the last token on is not the end"

# --- speculative.count --------------------------------------------------------------------------


def with_arrays(by_place, verify_s, draft_s):
    tokens = np.concatenate([[1.0], 1 + np.cumsum(np.cumprod(by_place))])
    cost = np.array(verify_s[: len(tokens)]) + draft_s * np.arange(len(tokens))
    rates = tokens / cost
    return int(rates.argmax()), rates.max() / rates[0]


def adds_shares(by_place, verify_s, draft_s):
    gains = [
        (1 + sum(by_place[:k])) / (verify_s[k] + k * draft_s) * verify_s[0]
        for k in range(len(by_place) + 1)
    ]
    return gains.index(max(gains)), max(gains)


def one_step_of_the_draft(by_place, verify_s, draft_s):
    tokens = np.concatenate([[1.0], 1 + np.cumsum(np.cumprod(by_place))])
    cost = np.array(verify_s) + draft_s * (np.arange(len(tokens)) > 0)
    rates = tokens / cost
    return int(rates.argmax()), rates.max() * verify_s[0]


def at_least_one(by_place, verify_s, draft_s):
    tokens = np.concatenate([[1.0], 1 + np.cumsum(np.cumprod(by_place))])
    rates = tokens / (np.array(verify_s) + draft_s * np.arange(len(tokens)))
    best = 1 + int(rates[1:].argmax())
    return best, rates[best] * verify_s[0]


def breaks_at_a_loss(by_place, verify_s, draft_s):
    best, gain, tokens, reach = 0, 1.0, 1.0, 1.0
    for drafts, share in enumerate(by_place, 1):
        reach *= share
        tokens += reach
        now = tokens / (verify_s[drafts] + drafts * draft_s) * verify_s[0]
        if now < gain:
            break
        best, gain = drafts, now
    return best, gain


PROOFS = {
    "speculative.greedy": Proof(
        mistakes={
            "drafts alone": (stays_put, "drafts-alone"),
            "every match": (skips, "every-match"),
            "behind the refused": (appends_behind, "with-the-refused"),
            "nothing for free": (only_if_refused, Status.wrong),
        },
        alternatives={"zipped": zipped, "recursively": recursively},
    ),
    "speculative.one_step": Proof(
        mistakes={
            "the ends alone": (
                _line_of(VERIFICATION, "for back in range(len(extra), -1, -1):", "for back in [0]:",
                         "len(places), len(extra) + 1)", "len(places), 1)"),
                "ends-alone",
            ),
            "prompts as well": (
                _line_of(VERIFICATION, "if caught_up:", "if True:"), "prompts-too",
            ),
            "from the row's start": (
                _line_of(VERIFICATION, "begin += length", "begin += 0"), "from-each-rows-start",
            ),
            "lengthens the answer": (
                _line_of(VERIFICATION, "step.last.resize_(0)",
                         "[one.tokens.extend(drafted.get(one, ())) for one, _ in chunks]"),
                "wrong-type",
            ),
        },
        alternatives={"row by row": _line_of(VERIFICATION)},
        equivalent={
            f"{KNOWN} => known = {other}": LAST
            for other in (
                "request.computed + new - len(extra)", "request.computed + new", "len(extra)",
                "request.computed - new + len(extra)", "request.computed + len(extra)",
                "new + len(extra)",
            )
        },
    ),
    "speculative.missing": Proof(
        mistakes={
            "zeros": (
                _lists(MISSING, "if total > 0 else target.clone()", "if total > 0 else owed"),
                "zeros-where-they-agree",
            ),
            "of the draft": (
                _lists(MISSING, "target > draft, target - draft", "draft > target, draft - target"),
                "of-the-draft",
            ),
            "absolute": (
                _lists(MISSING, "torch.where(target > draft, target - draft, "
                       "torch.zeros_like(target))", "(target - draft).abs()"),
                "both-ways",
            ),
        },
        alternatives={
            "normalised": _lists(MISSING),
            "in float32": _lists(
                MISSING,
                "    owed =",
                "    target, draft = target.float(), draft.float()\n    owed =",
            ),
        },
    ),
    "speculative.rule": Proof(
        mistakes={
            "the inverse": (
                _numbers(ACCEPTED, "(target_shares[row][word] / draft_shares[row][word])",
                         "(draft_shares[row][word] / target_shares[row][word])"),
                "upside-down",
            ),
            "all of the target": (
                _numbers(ACCEPTED, "drawn(missing(target_shares[row], draft_shares[row]), "
                         "chance())", "drawn(target_shares[row], chance())"),
                "from-the-target",
            ),
            "goes on": (_numbers(ACCEPTED, "            break\n", ""), Status.wrong),
            "no token for free": (
                _numbers(ACCEPTED, "    else:\n        kept.append(drawn(target_shares[-1], "
                         "chance()))\n", ""),
                "none-for-free",
            ),
            "p alone": (
                _numbers(ACCEPTED, "(target_shares[row][word] / draft_shares[row][word]).item()",
                         "target_shares[row][word].item()"),
                "by-p-alone",
            ),
        },
        alternatives={"the quotient": _numbers(ACCEPTED)},
    ),
    "speculative.give_back": Proof(
        mistakes={
            "rounds down": (
                _books(GIVE_BACK, "(request.computed + pool.page_tokens - 1)", "request.computed"),
                "whole-pages-alone",
            ),
            "leaks": (_books(GIVE_BACK, "pool.drop(page)", "pass"), "lost"),
            "takes from others": (
                _books(GIVE_BACK, "if pool.owners[page] == 0:", "if True:"), "from-others",
            ),
            "keeps the room": (
                _books(GIVE_BACK, "request.room = len(request.pages) * pool.page_tokens", "pass"),
                "keeps-the-room",
            ),
        },
        alternatives={"a slice": _books(GIVE_BACK)},
    ),
    "speculative.field": Proof(
        mistakes={
            "the draft's text": ("a", "a"),
            "few answers": ("d", "d"),
            "the likeliest": ("c", "c"),
        },
        alternatives={"a capital": "B", "in brackets": "(b)"},
    ),
    "speculative.count": Proof(
        mistakes={
            "adds the shares": (adds_shares, "not-chained"),
            "one step of the draft": (one_step_of_the_draft, "drafted-at-once"),
            "never zero": (at_least_one, Status.wrong),
            "breaks at a loss": (breaks_at_a_loss, "stops-at-the-first-loss"),
        },
        alternatives={"arrays": with_arrays},
    ),
    "speculative.look_back": Proof(
        mistakes={
            "the first place": (_text(FOLLOWED, "places[-1] + length", "places[0] + length"),
                                "first-place"),
            "gives up": (
                _text(FOLLOWED, "range(self.longest, self.shortest - 1, -1)",
                      "[n for n in [min(self.longest, len(text) - 1)] if n >= self.shortest]"),
                "longest-alone",
            ),
            "the words themselves": (
                _text(FOLLOWED, "places[-1] + length", "places[-1]"), "with-the-words-themselves",
            ),
        },
        alternatives={"forwards": _text(FOLLOWED)},
        equivalent={
            f"{LENGTHS} => {LENGTHS.replace('len(text) - 1', other)}": NO_PLACE
            for other in ("len(text) + 1", "len(text)", "len(text) - 0")
        }
        | {f"{BEFORE} => {BEFORE.replace(' - 1, -1, ', other)}": EMPTY
           for other in (" - 1, -1 - 1, ", " - 1, -2, ")},
    ),
}  # fmt: skip
