"""Exercises and predictions of chapter 12, eight GPUs and one model."""

from labutils.exercises.definition.sheet import predictions

ORDER = 10.8
TITLE = "Eight GPUs, one model"
MINUTES = 66

PREDICTIONS = predictions("""
# layouts.tp8_gain · ×, at least 0
? A model of 8 billion weights decodes for 64 users on one H100. Now every matrix is cut into eight
  parts, on eight H100. How many times as fast is a step?
= On eight cards a step is {} as fast.
! Each card reads an eighth of the weights and of the caches, so that part is eight times as fast.
  But after attention and after the feed-forward of every layer the cards have to add up their
  parts, and no card more makes that shorter. What the host does between two steps stays, too.

# layouts.busiest_card · ×, at least 1
? Each layer has 128 experts, 16 on each of eight cards. 32 tokens pick 8 experts each, evenly at
  random. How many times the mean are the picks of a layer's busiest card?
= The busiest card has {} the picks of the mean card.
! A card gets 32 picks on average, and about 5 more or fewer by chance. The largest of eight such
  numbers lies well above their mean, though no expert is liked more than another. All cards wait
  for it, in every layer.

# layouts.four_bits · ×, at least 0
? 200 users with 2,000 tokens each, a model of 8 billion weights on one card. Its weights are stored
  in 4 bits instead of 16, and multiplied in 16, at half of the card's peak. How many times as fast
  is a step?
= With weights of 4 bits a step is {} as fast.
! With so many users the matrices wait for arithmetic, not for their weights, and the attention
  waits for caches. Weights of 4 bits shorten neither: they are multiplied in 16 bits as before.
""")
