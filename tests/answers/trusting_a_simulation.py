"""Trial answers to the exercises of chapter 03b."""

from tests.answers.answer import right, wrong


def audit(body: str) -> str:
    """The audit with this body; a and d are sorted."""
    return f"""
def unaccounted(arrival_s, departure_s, audit_s, inside):
    a, d, t = np.sort(arrival_s), np.sort(departure_s), np.asarray(audit_s)
    {body}
"""


def repair(lines: str, deadline="    deadline = env.timeout(timeout_s)", loop="") -> str:
    """The batcher with these lines in place of the error."""
    return f"""
def collect_all(env, store, batch, max_batch, timeout_s):
    batch.append((yield store.get()))
{deadline}
    while len(batch) < max_batch:{loop}
        get = store.get()
        yield get | deadline
        if get.triggered:
            batch.append(get.value)
        else:
            {lines}


def repaired(arrival_s, batch_s, max_batch, timeout_s):
    return batcher_run(collect_all, arrival_s, batch_s, max_batch, timeout_s).departure_s
"""


def interval(body: str) -> str:
    """The interval with this body; m are the means of the stretches."""
    return f"""
def batch_interval(values, num_batches, t):
    m = np.reshape(values, (num_batches, -1)).mean(axis=1)
    {body}
"""


def other(name: str) -> str:
    """One of the suspects, handed in."""
    return f"""
def repaired(arrival_s, batch_s, max_batch, timeout_s):
    return suspects.{name}(arrival_s, batch_s, max_batch, timeout_s)
"""


CAME, GONE = "np.searchsorted(a, t, side='right')", "np.searchsorted(d, t, side='right')"
END = "s = t * m.std(ddof=1) / np.sqrt(num_batches); "
ANSWERS = [
    wrong(
        "trusting.audit",
        "moment itself left out on both sides",
        audit("return np.searchsorted(a, t) - np.searchsorted(d, t) - inside"),
        true=("strictly-before",),
    ),
    wrong(
        "trusting.audit",
        "departures at the moment not counted",
        audit(f"return {CAME} - np.searchsorted(d, t) - inside"),
        true=("departures-strictly-before",),
    ),
    wrong(
        "trusting.audit",
        "arrivals at the moment not counted",
        audit(f"return np.searchsorted(a, t) - {GONE} - inside"),
        true=("arrivals-strictly-before",),
    ),
    wrong(
        "trusting.audit",
        "those inside forgotten",
        audit(f"return {CAME} - {GONE}"),
        true=("forgets-inside",),
    ),
    wrong(
        "trusting.audit",
        "those inside added",
        audit(f"return {CAME} - {GONE} + inside"),
        true=("counts-inside-as-lost",),
    ),
    wrong(
        "trusting.audit", "sign turned", audit(f"return inside - ({CAME} - {GONE})"), true=("sign",)
    ),
    wrong(
        "trusting.audit",
        "departures taken as sorted",
        audit(f"return {CAME} - np.searchsorted(departure_s, t, side='right') - inside"),
        true=("takes-them-for-sorted",),
    ),
    wrong(
        "trusting.audit",
        "never negative",
        audit(f"return np.maximum(0, {CAME} - {GONE} - inside)"),
        true=("clipped",),
    ),
    wrong(
        "trusting.audit",
        "only the last audit",
        audit(f"return ({CAME} - {GONE} - inside)[-1]"),
        true=("wrong-type",),
    ),
    wrong("trusting.audit", "all arrivals", audit(f"return len(a) - {GONE} - inside")),
    wrong(
        "trusting.audit",
        "new losses between audits",
        audit(f"return np.diff({CAME} - {GONE} - inside, prepend=0)"),
    ),
    right(
        "trusting.audit",
        "comparison table",
        audit("return (a[None] <= t[:, None]).sum(1) - (d[None] <= t[:, None]).sum(1) - inside"),
    ),
    right(
        "trusting.audit",
        "a list by counting",
        """
def unaccounted(arrival_s, departure_s, audit_s, inside):
    return [sum(a <= t for a in arrival_s) - sum(d <= t for d in departure_s) - k
            for t, k in zip(audit_s, inside)]
""",
    ),
    wrong(
        "trusting.repair", "returns without withdrawing", repair("return"), true=("still-drops",)
    ),
    wrong(
        "trusting.repair",
        "waits for the next request after all",
        repair("batch.append((yield get)); return"),
        true=("waits-for-it",),
    ),
    wrong(
        "trusting.repair",
        "withdraws and begins a new deadline",
        repair("get.cancel(); deadline = env.timeout(timeout_s)"),
        true=("stays-at-the-deadline",),
    ),
    wrong(
        "trusting.repair",
        "deadline anew for each member",
        repair(
            "get.cancel(); return", deadline="", loop="\n        deadline = env.timeout(timeout_s)"
        ),
        true=("deadline-anew",),
    ),
    wrong(
        "trusting.repair",
        "withdraws, and never stops",
        repair("get.cancel()"),
        true=("stays-at-the-deadline",),
    ),
    wrong(
        "trusting.repair",
        "names the method without calling it",
        repair("get.cancel; return"),
        true=("still-drops",),
    ),
    wrong(
        "trusting.repair",
        "cancels the deadline's callbacks",
        repair("deadline.callbacks = None; return"),
        true=("still-drops",),
    ),
    wrong(
        "trusting.repair",
        "half the timeout",
        repair("get.cancel(); return", deadline="    deadline = env.timeout(timeout_s / 2)"),
    ),
    wrong("trusting.repair", "hands in the other simulator", other("simulator_b")),
    wrong("trusting.repair", "hands in the newest first", other("newest_first")),
    right("trusting.repair", "withdraws and breaks", repair("get.cancel(); break")),
    right("trusting.repair", "plain loop of the course", other("simulator_a")),
    right("trusting.repair", "returns what the method returns", repair("return get.cancel()")),
    wrong(
        "trusting.interval",
        "deviation with n in the denominator",
        interval("s = t * m.std() / np.sqrt(num_batches); return m.mean() - s, m.mean() + s"),
        true=("population",),
    ),
    wrong(
        "trusting.interval",
        "root of the number of batches forgotten",
        interval("s = t * m.std(ddof=1); return m.mean() - s, m.mean() + s"),
        true=("no-root",),
    ),
    wrong(
        "trusting.interval",
        "naive over all values",
        interval(
            "s = t * np.std(values, ddof=1) / np.sqrt(len(values)); "
            "return m.mean() - s, m.mean() + s"
        ),
        true=("naive",),
    ),
    wrong(
        "trusting.interval",
        "root of all values",
        interval("s = t * m.std(ddof=1) / np.sqrt(len(values)); return m.mean() - s, m.mean() + s"),
        true=("root-of-all-values",),
    ),
    wrong(
        "trusting.interval",
        "every k-th value in one stretch",
        interval(
            "m = np.reshape(values, (-1, num_batches)).mean(axis=0); "
            + END
            + "return m.mean() - s, m.mean() + s"
        ),
        true=("interleaved",),
    ),
    wrong(
        "trusting.interval",
        "1.96 for Student's factor",
        interval(END.replace("t *", "1.96 *") + "return m.mean() - s, m.mean() + s"),
        true=("normal-for-student",),
    ),
    wrong(
        "trusting.interval",
        "variance for the deviation",
        interval("s = t * m.var(ddof=1) / np.sqrt(num_batches); return m.mean() - s, m.mean() + s"),
        true=("variance",),
    ),
    wrong(
        "trusting.interval",
        "mean and half width",
        interval(END + "return m.mean(), s"),
        true=("mean-and-margin",),
    ),
    wrong(
        "trusting.interval",
        "upper end first",
        interval(END + "return m.mean() + s, m.mean() - s"),
        true=("swapped",),
    ),
    wrong(
        "trusting.interval",
        "stretches of that length instead of that number",
        interval(
            "m = np.reshape(values[:len(values) // num_batches * num_batches], (-1, num_batches))"
            ".mean(axis=1); s = t * m.std(ddof=1) / np.sqrt(len(m)); "
            "return m.mean() - s, m.mean() + s"
        ),
        true=("number-as-size",),
    ),
    wrong(
        "trusting.interval",
        "divides by one less twice",
        interval(
            "s = t * m.std(ddof=1) / np.sqrt(num_batches - 1); return m.mean() - s, m.mean() + s"
        ),
    ),
    right(
        "trusting.interval",
        "statistics module, a list",
        """
import statistics
def batch_interval(values, num_batches, t):
    size = len(values) // num_batches
    m = [float(sum(values[k * size:(k + 1) * size])) / size for k in range(num_batches)]
    middle, s = statistics.fmean(m), t * statistics.stdev(m) / num_batches**0.5
    return [middle - s, middle + s]
""",
    ),
    right("trusting.interval", "array", interval(END + "return m.mean() + s * np.array([-1, 1])")),
    wrong("trusting.newest", "mean expected to change", "c, e", true=("c",)),
    wrong("trusting.newest", "only theory", "c", true=("c",)),
    wrong("trusting.newest", "somebody starves", "a, e", true=("a",)),
    wrong("trusting.newest", "someone waits", "b, e", true=("b",)),
    wrong("trusting.newest", "slow motion too", "d, e", true=("d",)),
    wrong("trusting.newest", "those that do not notice", "a, b, c, d", true=("a",)),
    wrong("trusting.newest", "all", "abcde", true=("a",)),
    right("trusting.newest", "capital", "E"),
    right("trusting.newest", "bracket", "e)"),
    wrong("trusting.plan", "no factor for 95 %", 169_000, true=("one-deviation",)),
    wrong("trusting.plan", "first factor not squared", 52_600, true=("factor-not-squared",)),
    wrong("trusting.plan", "not squared at all", 806, true=("not-squared",)),
    wrong("trusting.plan", "independent requests", 4_270, true=("independent",)),
    wrong("trusting.plan", "one over the headroom", 190_000, true=("headroom-alone",)),
    wrong("trusting.plan", "two per cent", 1_460_000, true=("within-two-per-cent",)),
    wrong("trusting.plan", "one-sided factor", 457_000, true=("one-sided",)),
    wrong("trusting.plan", "width for half width", 2_600_000, true=("whole-width",)),
    wrong("trusting.plan", "load 0.9", 1_540_000, true=("another-load",)),
    right("trusting.plan", "two figures", 650_000),
    right("trusting.plan", "text", "0.65 million"),
    right("trusting.plan", "calculation", (1.96 * (1.85 / 0.15) / 0.03) ** 2),
]
