"""Whatever is to be drilled has a place: the 52 rows of the list, and every fault of the sources.

A fault (X01 … X90 of the course's list of pitfalls) is drilled by a flaw template, confronted in a
chapter or lab, or a footnote. Nothing is claimed without a look: for a chapter stands the phrase by
which its source is known to confront the fault.
"""

import re
from importlib import import_module
from pkgutil import iter_modules

import pytest

from labutils.drills import catalog
from labutils.drills.catalog import templates
from labutils.drills.definition.template import Form
from tests.conftest import ROOT

ROWS = range(1, 53)
FAULTS = {f"X{number:02}" for number in range(1, 91)}
FOOTNOTES = {"X27", "X66", "X81", "X83", "X84"}  # citations and names
CHAPTERS = {
    "01_two_numbers": {
        "X01": "On how many days is this service healthy?",
        "X04": "A p99 of the last hundred requests.",
        "X23": "One sentence quotes one quantity for another.",
        "X37": "Percentiles do not combine, counts do",
        "X39": "Requests are not users.",
        "X42": "What does a load test report about a frozen server?",
        "X61": "a ratio of 6.25",
        "X82": "users abandon AI answers after 2 to 3 s",
    },
    "02_littles_law": {
        "X07": "agreement to five significant figures",
        "X08": "What the script calls throughput is the rate at which requests *come*",
        "X11": "A helper that is right as long as nobody needs it",
        "X12": "So the two alarms were one",
        "X19": "Two plans, recomputed",
        "X20": "adds 20 % once more",
        "X21": "A time that depends on the company",
        "X22": "Each has near 30 in flight",
        "X32": "Slots over latency is the edge of stability",
    },
    "03_mm1_explosion": {
        "X13": 'Does latency explode "exponentially"?',
        "X14": "Spot the flaw: the launch",
        "X15": "Which sentence cannot stand?",
        "X16": "Pooling beats splitting, and the gain grows with the fleet",
        "X17": '"Arrivals exceed the service" means',
        "X18": "At which load do ten requests wait?",
        "X28": "Nor is there a linear stretch on the left",
        "X29": "does not survive a fivefold peak",
    },
    "04_batching_sweep": {
        "X02": "Each row of the table can be solved for its",
        "X03": "Three numbers for one quantity",
        "X25": "Latency over the batch is half of a U",
        "X26": "Repair an exercise that has no solution",
        "X69": "The logarithm never does",
        "X80": '"A batch of 64 takes almost as long as 1." That is true of some machines.',
    },
    "05_prefill_and_decode": {
        "X24": "replicas do nothing for one request's latency",
        "X30": '"The GPU is 100 % busy, so it is used up"',
        "X44": "Twice the prompt is 2.06 times the work, not four times",
        "X45": "Is decode nothing but KV reads?",
        "X46": "throughput = 1 / TPOT",
        "X47": "The formula comes within a factor of two",
        "X48": "GQA is worth 2.5 % to the lone user",
        "X51": "weight-only quantisation multiplies in 16 bits",
        "X59": "because the first token is inside the TTFT",
        "X60": "four promises for a chatbot",
        "X67": "The formula is usually quoted without $g$ and $u$.",
        "X68": '*Attention sinks* (card o) are listed as "cache warm-up"',
    },
    "06_kv_cache_memory": {
        "X52": "Does a paged cache need compaction?",
        "X53": "page of 16 tokens is 64 KiB in each layer",
        "X54": "Spot the flaws: forty users on 80 GB",
    },
    "07_continuous_batching": {
        "X49": "So what shortens a prefill helps decode as well.",
        "X50": "Chunked prefill is a technique for other people's ITL.",
        "X62": "Remove the window.",
        "X65": "Does continuous batching raise latency, or lower it?",
        "X79": '"Up to 23 times faster": than what, at which measure?',
    },
    "08_tails_and_fan_out": {
        "X33": "your effective p99 is the single call's p90",
        "X34": "It takes latencies and never reads them",
        "X35": "Independence is an assumption",
        "X36": "Percentiles do not add up along a chain",
        "X40": "Is a shorter p99 worth more than a shorter mean?",
        "X41": "Ten times better leaves: how much better is the page?",
        "X43": "Why did the fleet stay down?",
    },
    "lab2_kv_cache": {
        "X55": '"multi-head attention with a KV cache", from a lesson',
        "X56": "Is it causal?",
        "X57": "`cat` moves them all",
        "X58": '"from O(n²) to O(n) per token"',
    },
    "lab3_dynamic_batcher": {
        "X70": "The lesson pairs requests and results with `zip`.",
        "X71": "One cancelled client kills three others",
        "X72": "The lag is that of a backlog, not of a batch",
        "X73": "A window that starts with the loop's pass is added to the batch before",
        "X74": "TensorRT Inference Server has been called Triton",
        "X90": "| TorchServe | PyTorch handlers; no longer maintained |",
    },
}


def flaw_modules():
    """The modules of faults, each with its table from template to faults."""
    names = [module.name for module in iter_modules(catalog.__path__)]
    return [
        import_module(f"{catalog.__name__}.{name}") for name in names if name.startswith("flaws_")
    ]


def drilled() -> dict[str, tuple[str, ...]]:
    return {key: value for module in flaw_modules() for key, value in module.FAULTS.items()}


def prose(name: str) -> str:
    """The source of a chapter, its comments as running text."""
    text = (ROOT / "solutions" / f"{name}.py").read_text(encoding="utf-8")
    return re.sub(r"\s+", " ", re.sub(r"^# ?", "", text, flags=re.M))


def test_every_row_of_the_list_has_a_template():
    missing = set(ROWS) - {item.number for item in templates()}
    assert not missing, f"no template has number {sorted(missing)}"


def test_every_fault_is_drilled_or_confronted_or_a_footnote():
    in_chapters = {fault for faults in CHAPTERS.values() for fault in faults}
    in_drills = {fault for faults in drilled().values() for fault in faults}
    assert in_drills | in_chapters | FOOTNOTES == FAULTS
    assert not FOOTNOTES & (in_drills | in_chapters)


@pytest.mark.parametrize("name", CHAPTERS)
def test_a_chapter_says_what_it_is_known_by(name):
    text = prose(name)
    assert not [fault for fault, phrase in CHAPTERS[name].items() if phrase not in text]


def test_the_tables_of_faults_name_all_flaw_templates_and_nothing_else():
    known = {item.id: item for item in templates()}
    for module in flaw_modules():
        own = {item.id: item for item in vars(module).values() if known.get(getattr(item, "id", 0))}
        assert set(module.FAULTS) == set(own), module.__name__
        assert all(item.form is Form.flaw for item in own.values())


def test_a_flaw_is_a_choice_and_mostly_a_number():
    flaws = [item.drill(1) for item in templates() if item.id in drilled()]
    assert len(flaws) >= 25
    assert all(len(drill.options.texts) >= 4 for drill in flaws)
    assert sum(drill.answer is not None for drill in flaws) >= 0.8 * len(flaws)


def test_a_defence_is_a_commitment_and_an_objection():
    defences = [item.drill(1) for item in templates() if item.form is Form.defend]
    assert len(defences) >= 6
    for drill in defences:
        assert drill.options and drill.follow_up and drill.follow_up.options
        assert drill.answer is not None and drill.follow_up.answer is not None
