"""Code drill: an allocator of pages in 25 minutes, in the order in which an interviewer adds."""

from labutils.exercises.checkers import Stories
from labutils.exercises.definition.exercise import Exercise, Misconception

from . import wrong_pools as wrong
from .allocator_stories import STORIES
from .page_pools import PagePool

MISCONCEPTIONS = (
    Misconception(
        "a-page-too-many",
        wrong.APageTooMany,
        "Tokens that fill their pages get one page more than they need.",
    ),
    Misconception(
        "rounds-down",
        wrong.RoundsDown,
        "Some tokens have no page: what becomes of those that fill a page in part?",
    ),
    Misconception(
        "pages-for-each-call",
        wrong.PagesForEachCall,
        "Each call begins a page. How many places are free in the last one?",
    ),
    Misconception(
        "the-highest-first",
        wrong.TakesTheHighest,
        "You take a free page from the other end. Which one did the interviewer ask for?",
    ),
    Misconception(
        "a-queue-of-pages",
        wrong.QueuesThem,
        "A page that came back is taken last. Which free page has the lowest number now?",
    ),
    Misconception(
        "takes-what-there-is",
        wrong.TakesWhatThereIs,
        "A refused sequence keeps the pages that it got on the way. When do you know how many are "
        "needed?",
    ),
    Misconception(
        "leaves-a-name",
        wrong.LeavesAName,
        "A sequence that was refused is known afterwards. What must have changed after False?",
    ),
    Misconception(
        "counts-what-it-refused",
        wrong.CountsWhatItRefused,
        "A growth that was refused is counted as if it had been granted.",
    ),
    Misconception(
        "keeps-one-back",
        wrong.KeepsOneBack,
        "Somebody is refused although the free pages are as many as it needs.",
    ),
    Misconception(
        "lost-pages",
        wrong.LosesThem,
        "Pages are in no table and not free. Who gives them back when a sequence goes?",
    ),
    Misconception(
        "remembers-the-count",
        wrong.RemembersTheCount,
        "A sequence that comes back is taken for as long as it was.",
    ),
    Misconception(
        "frees-twice",
        wrong.FreesTwice,
        "A page stands in the free list twice, and two sequences will get it. What does a second "
        "`free` find?",
    ),
    Misconception(
        "never-says-no",
        wrong.NeverSaysNo,
        "A second `free` reports success. The bug is in the caller: how shall anybody find it?",
    ),
    Misconception(
        "copies-everything",
        wrong.CopiesEverything,
        "A fork takes as many pages as its parent. Who would write into them?",
    ),
    Misconception(
        "one-list",
        wrong.SharesTheList,
        "Parent and child hold the same list object. What does the other read after an append?",
    ),
    Misconception(
        "frees-under-the-reader",
        wrong.FreesUnderTheReader,
        "A page becomes free while another sequence reads it. How many tables is it in?",
    ),
    Misconception(
        "never-the-last",
        wrong.NeverTheLast,
        "A page that was shared never comes back. Who is the last to leave?",
    ),
    Misconception(
        "forks-the-unknown",
        wrong.ForksTheUnknown,
        "A fork of a sequence that does not exist succeeds. Whose pages does the child read?",
    ),
    Misconception(
        "forks-over-another",
        wrong.ForksOverAnother,
        "A fork to a name that is taken throws a table away, and its pages are in no table now.",
    ),
    Misconception(
        "writes-into-shared",
        wrong.WritesIntoShared,
        "Two sequences write behind the same last token. Whose words does the other read?",
    ),
    Misconception(
        "copies-the-table",
        wrong.CopiesTheTable,
        "All pages of the table are copied. Into how many of them is anything written?",
    ),
    Misconception(
        "copies-full-pages",
        wrong.CopiesFullPages,
        "You copy a page that is full. Will anybody ever write into it?",
    ),
    Misconception(
        "fears-the-gone",
        wrong.AlwaysCopies,
        "You copy a page that nobody else reads any more. Which number says so?",
    ),
    Misconception(
        "copies-for-nothing",
        wrong.CopiesForNothing,
        "A growth by 0 tokens takes a page for a copy. What is written into it?",
    ),
    Misconception(
        "keeps-the-old-owner",
        wrong.KeepsTheOldOwner,
        "After the copy the old page still counts whoever left it, and never becomes free.",
    ),
    Misconception(
        "forgets-the-copy",
        wrong.ForgetsTheCopy,
        "You ask whether the tokens fit, and take a page more for the copy. Which sum has to fit?",
    ),
)

ALLOCATOR = Exercise(
    id="interview.allocator",
    title="An allocator of shared pages",
    minutes=25,
    optional=True,
    checker=Stories(stories=STORIES, reference=PagePool, misconceptions=MISCONCEPTIONS),
    hints=(
        "Say the invariant first: a page is free, or its count says in how many tables it stands. "
        "Then make every method either keep it or refuse before the first change.",
        "In `grow`, count before you touch anything: pages for all tokens, less those in the "
        "table, plus one if the last page is only partly filled and has other readers. `free` and "
        "that copy give pages back in the same way: one owner less, free at zero.",
        "copies = 1 if tokens and held % page_tokens and owners[table[-1]] > 1 else 0; missing = "
        "-(-(held + tokens) // page_tokens) - len(table) + copies; refuse if missing exceeds the "
        "free pages. Then drop the copied page from the table (one owner less), and append the "
        "`missing` lowest free pages with one owner each. `fork` copies the *list* and adds an "
        "owner to each page.",
    ),
    explanation=(
        "One sentence carries the allocator: *a page is free, or its count says in how many tables "
        "it stands*. Say it aloud before you write; it finds every bug that the stories hold.\n\n"
        "A refusal comes before the first change, with the copy counted in: whoever takes first "
        "and finds out later leaves pages with somebody who was told no. A second `free` changes "
        "nothing *and says so*: a silent success hides the caller's bug, and a free list that "
        "holds a page twice gives it to two people. Only the last page can be written, and only "
        "while it is partly filled; so a copy is needed exactly there, exactly if somebody else "
        "reads it (copy on write).\n\n"
        "*Then they ask:* what does it cost? (`grow` per token is O(1) but for the sorted free "
        "list: a heap, or give up the order.) Who copies the bytes? (return pairs of source and "
        "target, so that the step can do it on the device, all at once.) Two threads? (one lock: "
        "each of the five is short; or one owner thread, as engines do.) What do you monitor? "
        "(free pages, refusals, and the sum of counts against the sum of table lengths: the "
        "invariant as a gauge.)"
    ),
)
