"""A bug from the field: answers that became duller."""

from labutils.exercises.checkers.sheets import choice

FIELD = choice("""
speculative.field · Answers that became duller · 4 minutes

- a: every draft is kept
! Then the counts would be those of the draft's table. Compare the columns: on which side of the
  target's shares do they lie, and does the draft lie there, too?
+ b: a refused draft is replaced by a draw from all of the target
- c: a draft is kept if it is the target's likeliest word
! Then the likeliest word would gain most. Here a word gains that both tables say often, whether or
  not it is the likeliest.
- d: the rule is right, and 20,000 continuations are too few
! A share of 20,000 has a standard error of a third of a point. How many of those are the
  differences?
> Which words come too often: those of the draft, the likeliest, or those that both like?
> What stays is right: min(p, q) of each word. So the surplus comes from what is put in the place of
  a refused draft.
> A replacement from p gives min(p, q) + (chance of a refusal) · p. Where p is less than q, the word
  had all it was owed before, and gets more.

After a refusal the code draws as it always did, from the target. That looks right, and greedy
requests are exact, so no token test sees it. Words that the draft likes too much had their whole
share already; now they get another piece, and words that the draft forgets stay short. The answers
lean towards the small model. Only a count over many answers shows it, or the line of algebra:
min(p, q) + (1 − Σ min(p, q)) · p is not p.
""")
