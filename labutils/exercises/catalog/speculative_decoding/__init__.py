"""Exercises and predictions of lab 7, speculative decoding."""

from labutils.exercises.definition.sheet import predictions

ORDER = 17
TITLE = "Speculative decoding"
MINUTES = 102

PREDICTIONS = predictions("""
# speculative.gain · 1, at least 0
? One request at a time, greedy. The draft has an eighth of the target's weights and was trained on
  the same prose; it drafts four tokens a step. How many times as fast do tokens come, for each one
  without drafts?
= With four drafts a step, tokens come {} times as fast.
! Three things decide: how many drafts stay, what a step of the draft costs, and what four more rows
  cost the target. A model with an eighth of the weights does not take an eighth of the time: at
  this size a step is mostly launches, and their number goes with the layers. Below 1 the drafts
  cost more than they bring.

# speculative.acceptance · 1, at least 0, at most 1
? Which share of the drafts that are looked at stay, on the course's own prose, greedy?
= A share of {} of the drafts that were looked at stayed.
! Draft and target are both small, and small models are unsure. Where the target finds several
  tokens about as likely, another model often puts another of them first. The share is a property of
  the pair and of the text; it cannot be told from the sizes.

# speculative.batch · 1, at least 0
? Look-up drafts up to four tokens a step and costs no step of a model. Its gain at a batch of 8, as
  a share of its gain at a batch of 1?
= At a batch of 8 the gain is {} times that at a batch of 1.
! Alone, a request leaves arithmetic idle while the weights are read, and a few rows more are cheap.
  At 8 the step has up to 40 rows in the place of 8: the reading is shared by then, and each row is
  paid for, whether its draft stays or not.
""")
