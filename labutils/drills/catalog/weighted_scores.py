"""A router that adds up scores: which replica wins, and what a queue can outweigh."""

from labutils.drills.definition.writing import Draw, Drill, choice, listing, positive, template

_CAP = 128  # waiting requests at which the linear score is 0


@template("I12 I07 F05", level=4, decision="commit", form="verdict", minutes=4.5, rough=False)
def weighted_scores(draw: Draw) -> Drill:
    """Weighted scores: a min–max queue is worth one point, however long it is."""
    names = "ABCD"
    shares = {name: draw.share(0, 0.45) for name in names} | {"A": draw.share(0.4, 0.85)}
    queues = {name: draw.random.randint(1, 24) for name in "BCD"} | {"A": draw.whole(12, 28)}
    used = {name: draw.share(0.2, 0.95) for name in names} | {"A": draw.share(0.5, 0.95)}
    low, high = min(queues.values()), max(queues.values())
    draw.require(high > low + 5)
    parts = {
        name: (shares[name], (high - queues[name]) / (high - low), 1 - used[name]) for name in names
    }
    scores = {name: 2 * a + b + c for name, (a, b, c) in parts.items()}
    right, second, *_ = sorted(scores, key=scores.get, reverse=True)
    draw.apart(scores[right], scores[second], by=0.04)
    place = dict(zip(names, draw.random.sample(names, 4)))
    a, b, c = parts[right]
    rows = "\n".join(
        f"    {place[name]}: {100 * shares[name]:.0f} % found, {queues[name]} waiting, pool "
        f"{100 * used[name]:.0f} % in use"
        for name in sorted(names, key=place.get)
    )
    against = {
        place[name]: f"Add up the three terms of {place[name]}, and those of the others. Which sum "
        "is larger?"
        for name in names
        if name != right
    }
    return draw.drill(f"""
    A router gives each replica three scores between 0 and 1: the share of the prompt's blocks found
    there; its queue, 1 for the shortest of all, 0 for the longest, and in proportion between; the
    share of its KV pool that is free. It adds 2 × the first, 1 × the second and 1 × the third, and
    takes the largest sum. A prompt comes: {listing(rows)}
    ? What is the largest sum?
    = {scores[right]} tolerance=0.005 scale=off telling=3
    - weights-forgotten {a + b + c}: You give all three the same weight. What does the first one
      get?
    - pool-in-use {2 * a + b + 1 - c}: You add what is in use of the pool. Which part of it counts?
    - longest-queue-best {2 * a + 1 - b + c}: You give the longest queue the 1. Which one gets it?
    - from-an-empty-queue {2 * a + 1 - queues[right] / high + c}: You measure the queue from zero.
      Which queue gets the 1?
    - second-best {scores[second]}: There is a larger one. Have you added up all four?
    ? Which replica gets the request?
    {choice(place[right], against)}
    > Each replica has three terms. The queue's goes from the longest to the shortest.
    > 2 × found + (longest − waiting) ÷ (longest − shortest) + 1 − in use.
    > For {place[right]}: 2 × {a:g} + ({high} − {queues[right]}) ÷ ({high} − {low}) + {c:.2g}.
    . {"; ".join(f"{place[name]}: {scores[name]:.3g}" for name in sorted(names, key=place.get))}
    * sum {scores[right]}: {place[right]}: {2 * a:.4g} + {b:.3g} + {c:.3g} = {scores[right]:.4g}
    ~ At most 4.

    These are llm-d's default weights. Write down what one point is worth in each term before you
    turn a weight: a found prompt is two points, all the queue one.
    """).then(_linear(draw))


def _linear(draw: Draw) -> Drill:
    found, other = draw.share(0.2, 0.7), draw.share(0, 0.15)
    used, others_used = draw.share(0.5, 0.95), draw.share(0.2, 0.8)
    prefix, free = 2 * (found - other), others_used - used
    waiting, worth = draw.random.randint(1, 9), prefix + free
    answer = _CAP * worth
    draw.require(6 < answer < _CAP - waiting and abs(free) > 0.05)
    return draw.drill(f"""
    Another score for the queue: 1 − waiting ÷ {_CAP}, and 0 from {_CAP} on; the rest stays. Two
    replicas are up. On P {100 * found:.0f} % of the prompt's blocks are found and
    {100 * used:.0f} % of the pool are in use, on Q {100 * other:.0f} % and
    {100 * others_used:.0f} %. At Q {waiting} wait.
    ? How many more must wait at P than at Q so that both have the same sum?
    = {answer} tolerance=0.02 scale=off telling=3
    - weights-forgotten {positive(_CAP * (prefix / 2 + free))}: You give the blocks found the weight
      of the others. What is it?
    - pool-forgotten {_CAP * prefix}: You leave out the pools. Which of the two has more free?
    - pool-the-wrong-way {_CAP * (prefix - free)}: You give the fuller pool the larger score. Which
      part of a pool counts?
    - waiting-at-p {answer + waiting}: So many wait at P in all. How many more than at Q is that?
    - the-others-blocks {_CAP * (2 * found + free)}: You leave out what is found on Q. What does it
      get for that?
    ? And with the queue's score of before, and these two replicas alone?
    + One more at P is enough for Q to win
    x At the same difference
    ! Does the score of before know of {_CAP}? What do the shorter and the longer queue get there?
    x At half of that difference
    ! What do the shorter and the longer of two queues get there, whatever the difference is?
    x P wins however many wait there
    ! What is the whole queue term worth there, and by how much is P ahead without it?
    > By how much is P ahead without the queues?
    > {_CAP} × (2 × (found on P − found on Q) + free on P − free on Q).
    > {_CAP} × (2 × ({found:g} − {other:g}) + {1 - used:.2g} − {1 - others_used:.2g}).
    * ahead {worth}: Without the queues P is ahead by {prefix:.3g} {"+" if free > 0 else "−"}
      {abs(free):.2g} = {worth:.3g}
    * more {answer}: × {_CAP} = {answer:.4g} requests
    ~ Fewer than {_CAP}: P is ahead by less than a point.

    A score between the shortest and the longest knows no amounts: one request more counts as much
    as a hundred. And where the other terms are more than a point ahead, no queue ever outweighs
    them: that replica runs hot.
    """)
