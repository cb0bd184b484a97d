"""The stories of the batcher: what colleagues call them, and what somebody saw."""

from labutils.exercises.checkers import Story

from . import batcher_script as script

STORIES = (
    Story(
        "a quiet night",
        script.a_quiet_night,
        "One request came in an empty night. The answer was promised after a window and a batch.",
    ),
    Story("a full house", script.a_full_house, "A full batch stood and waited for a timer."),
    Story(
        "the GPU is busy",
        script.the_gpu_is_busy,
        "Under load a batch disappeared: those in it never heard anything.",
    ),
    Story(
        "to each their own",
        script.to_each_their_own,
        "More asked than fit into a batch. Somebody got a wrong answer, or went at a wrong time.",
    ),
    Story(
        "a long batch",
        script.a_long_batch,
        "A batch took long. Who came meanwhile was served at the wrong moment.",
    ),
    Story(
        "one long text",
        script.one_long_text,
        "Lengths differ now. The GPU ran out of memory, or idled while people stood in line.",
    ),
    Story(
        "the essay",
        script.the_essay,
        "Somebody sent a book. Nobody behind it was ever served, or the GPU ran out of memory.",
    ),
    Story(
        "one bad apple",
        script.one_bad_apple,
        "One text that the model cannot read, and the wrong people got errors, or got them late.",
    ),
    Story(
        "a half of a half",
        script.a_half_of_a_half,
        "A half failed, too. Somebody who came later was told first.",
    ),
    Story(
        "the search goes on",
        script.the_search_goes_on,
        "A bad text was found, and not everybody in its batch had heard something in the end.",
    ),
    Story(
        "a closed browser",
        script.a_closed_browser,
        "The oldest in the line closed the browser. The batch left too early, or computed for it.",
    ),
    Story(
        "gone with the batch",
        script.gone_with_the_batch,
        "Somebody hung up while the GPU worked. Others read answers that were not theirs.",
    ),
    Story(
        "the bad apple leaves",
        script.the_bad_apple_leaves,
        "Two shared a batch, one hung up, the model raised. The other one heard the wrong thing.",
    ),
    Story(
        "the flood",
        script.the_flood,
        "A crawler came. Some waited for ever, or were refused while there was room.",
    ),
    Story(
        "the proof",
        script.the_proof,
        "The dashboard said that the window of 15.5 ms was broken. The GPU had been busy.",
    ),
    Story(
        "who is not in the list",
        script.who_is_not_in_the_list,
        "The dashboard was green, and the line had not moved for a minute.",
    ),
)
