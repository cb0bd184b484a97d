"""Code drill: a router in 25 minutes, in the order in which an interviewer adds to it."""

from labutils.exercises.checkers import Stories
from labutils.exercises.definition.exercise import Exercise, Misconception

from . import wrong_routers as wrong
from .router_stories import STORIES
from .routers import Router

MISCONCEPTIONS = (
    Misconception(
        "counter-clockwise",
        wrong.CounterClockwise,
        "You go to the point before the key. Which way round did the interviewer say?",
    ),
    Misconception(
        "strictly-after",
        wrong.StrictlyAfter,
        "A key that lies on a point goes past it. At or after?",
    ),
    Misconception(
        "ends-at-the-end",
        wrong.EndsAtTheEnd,
        "Behind the last point a key goes back. Where does a ring go on?",
    ),
    Misconception(
        "modulo",
        wrong.Modulo,
        "You take the key's place modulo the number of nodes. How many keys move when one comes?",
    ),
    Misconception(
        "nearest-point",
        wrong.NearestPoint,
        "You go to the nearest point on either side. Which way round did the interviewer say?",
    ),
    Misconception(
        "one-point-each",
        wrong.OnePointEach,
        "A node stands at one of its places alone.",
    ),
    Misconception(
        "without-bound",
        wrong.WithoutBound,
        "One node takes everything. How many may it hold?",
    ),
    Misconception(
        "rounds-down",
        wrong.RoundsDown,
        "A node is called full too early. Which way did the interviewer round?",
    ),
    Misconception(
        "without-the-new-one",
        wrong.WithoutTheNewOne,
        "The bound counts what is open already. Which keys are open once this one is placed?",
    ),
    Misconception(
        "one-above-the-bound",
        wrong.OneAboveTheBound,
        "A node holds one key more than its bound. Do you compare before or after it is placed?",
    ),
    Misconception(
        "takes-at-the-bound",
        wrong.TakesAtTheBound,
        "A node that holds its bound takes one more. Is it full then?",
    ),
    Misconception(
        "bound-by-points",
        wrong.BoundByPoints,
        "The bound divides by the points on the ring. Who holds the load, a point or a node?",
    ),
    Misconception(
        "to-the-emptiest",
        wrong.ToTheEmptiest,
        "If a node is full, the emptiest takes the key. Will another router find it there?",
    ),
    Misconception(
        "looks-once",
        wrong.LooksOnce,
        "Behind a full node the next point takes the key, full or not, and whoever stands there.",
    ),
    Misconception(
        "counts-twice",
        wrong.CountsTwice,
        "A key that was open is counted again. How many conversations is it?",
    ),
    Misconception(
        "not-sticky",
        wrong.NotSticky,
        "A key that is open is placed anew. Where does its cache lie?",
    ),
    Misconception(
        "placed-twice",
        wrong.PlacedTwice,
        "A key that is open is placed a second time, and counts on both nodes.",
    ),
    Misconception(
        "load-stays",
        wrong.LoadStays,
        "A key is done, and its node counts it still.",
    ),
    Misconception(
        "never-closes",
        wrong.NeverCloses,
        "A key is done, and is open still.",
    ),
    Misconception(
        "always-done",
        wrong.AlwaysDone,
        "`done` says True for a key that is not open. How shall the caller's bug be found?",
    ),
    Misconception(
        "join-moves-open-keys",
        wrong.JoinMovesOpenKeys,
        "A node comes, and open keys move to it. What lies on their old node?",
    ),
    Misconception(
        "join-levels-out",
        wrong.JoinLevelsOut,
        "A node comes, and takes over what others hold above the new bound. What lies on the node "
        "on which they were open?",
    ),
    Misconception(
        "leave-moves-all",
        wrong.LeaveMovesAll,
        "A node goes, and keys move that it did not hold. Who lost anything?",
    ),
    Misconception(
        "leave-loses-them",
        wrong.LeaveLosesThem,
        "A node goes, and its open keys with it.",
    ),
    Misconception(
        "homeless-count",
        wrong.HomelessCount,
        "While one key of a node that went is placed, its others count as open. When are they "
        "closed?",
    ),
    Misconception(
        "leave-to-one",
        wrong.LeaveToOne,
        "All keys of a node that went stand on the next one. How many may it hold?",
    ),
    Misconception(
        "leaves-its-points",
        wrong.LeavesItsPoints,
        "A node is gone, and keys are still sent to it. What is left of it on the ring?",
    ),
    Misconception(
        "counts-the-gone",
        wrong.CountsTheGone,
        "The bound divides by nodes that are gone. How many share the load now?",
    ),
)

ROUTER = Exercise(
    id="interview.router",
    title="A router with bounded load",
    minutes=25,
    optional=True,
    checker=Stories(stories=STORIES, reference=Router, misconceptions=MISCONCEPTIONS),
    hints=(
        "Two things are kept apart: the ring (who stands where) and the books (which key is open "
        "on which node). A node that comes changes the ring alone.",
        "Walk the points clockwise from the key, once round, and take the first node whose load is "
        "below the bound. As factor is at least 1, there is one. The bound counts the key that you "
        "are placing.",
        "order = sorted(points, key=lambda point: (point < place, point)); bound = ceil(factor × "
        "(open + 1) / nodes). leave: take node and points off, note its keys with their places, "
        "close them all, then route each.",
    ),
    explanation=(
        "A hash modulo n moves nearly all keys when n changes; on a ring a node that comes takes "
        "its arcs and nothing else, and one that goes leaves its keys to whoever stands next. What "
        "moves is about 1/n. Several points a node even out the arcs.\n\n"
        "But a ring balances keys and not load: one hot document is one place. The bound "
        "(Mirrokni, Thorup and Zadimoghaddam, 2016) says that nobody holds more than factor times "
        "the mean, rounded up, and lets a key walk on clockwise from full nodes. A factor near 1 "
        "balances and scatters a prefix over many caches; a large one keeps caches warm and lets "
        "one node burn. The bound never refuses anybody: n nodes with ⌈factor × m / n⌉ places "
        "each have at least m.\n\n"
        "*Then they ask:* what does a look-up cost? (points kept sorted, `bisect`: O(log p), and a "
        "few steps past full nodes.) Requests differ in length? (count tokens or pages as load, "
        "not keys.) Two routers? (each sees a part of the loads: gossip them, or let the node "
        "refuse and walk on.) The first node was full for a minute, and the prefix lies on the "
        "second now? (go home when there is room, and pay one prefill; or leave it while the "
        "conversation lasts, as here.) How many points? (the spread of the arcs falls like 1/√"
        "points; a hundred or so.)"
    ),
)
