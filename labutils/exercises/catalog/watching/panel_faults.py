"""Nine panels of a wall, sorted by what they do not show."""

from labutils.exercises.checkers.sheets import sorting

_ALL_FIRST_TOKENS = (
    "True of panels 1, 2 and 3 alike: whoever was refused has no first token. Each of the three "
    "would hide slow requests that were let in, too. By what?"
)

PANEL_FAULTS = sorting(f"""
watching.faults · Nine green panels · 5 minutes

* fault: mean (average) · quantiles (percentiles) · window (time) · counter · survivors (admitted) ·
  cause (resource) · scale (axis)
+ 1 mean: first token, mean
! quantiles: It shows no percentile. What does it make of one slow request among a hundred?
! survivors: {_ALL_FIRST_TOKENS}
+ 2 quantiles: first token, p99, mean of all
! mean: It begins with percentiles, one of each replica. What is done with them then?
! window: It follows the window. What becomes of the slow replica's line?
! survivors: {_ALL_FIRST_TOKENS}
+ 3 window: first token, p99 today
! survivors: {_ALL_FIRST_TOKENS}
! quantiles: Each line is one replica's own. Over which time?
! mean: These are percentiles, and not averaged. Over which time?
+ 4 counter: requests so far
! scale: Another axis would not help a line that only rises. What of it can be read?
! cause: It does count users' requests. How many were there in the last ten seconds?
+ 5 survivors: failed of those let in
! scale: The line is 0 on any axis. Who is missing from it?
! mean: A share is a fair thing to show. Of whom?
+ 6 survivors: requests waiting
! scale: The line is 0 on any axis. Where do requests wait that are not let in?
! cause: A queue is the cause that one wants to see. Where is this server's queue, if it refuses?
! mean: The line is 0 in each replica. Where do requests wait that are not let in?
+ 7 mean / scale: gap between tokens, mean
! cause: A user sees every gap between two tokens. What does this line make of the long ones?
! quantiles: It shows no percentile. What does it make of the long gaps?
+ 8 cause: KV cache in use
! mean: One line for each replica would be better, and still: what does a user feel of a full cache?
! scale: 100 % is where this axis ends by nature. What does a user feel of it?
+ 9 scale: tokens per second
! counter: It is a rate. Look at the numbers on its axis.
! cause: It is work that users get. Could you see it fall by a fifth?
! mean: It is a sum. Could you see it fall by a fifth?
> Ask of each panel: whose requests are in it, over which time, and what was done with them before a
  line was drawn?
> Two show a mean. One averages percentiles. One never forgets, one was never subtracted. Two know
  nothing of those that were refused. One shows what no user feels, and one has an axis for another
  machine.
> mean: 1, 7. quantiles: 2. window: 3. counter: 4. survivors: 5, 6. cause: 8. The last one has an
  axis to 10,000.

All nine are measured right. Two show a **mean** (1, 7), one averages **percentiles** (2), one looks
back over a **window** that forgets nothing (3). One shows a **counter** (4). Two count only the
**survivors**: whoever was refused was not let in, and does not wait here (5, 6). They are in no
histogram of latencies either, so 1, 2 and 3 lack them beside their own faults. The cache is a
**cause** (8), to be looked at when something hurts. And the last one has a **scale** on which
nothing ever happens (9).
""")
