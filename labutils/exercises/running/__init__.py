"""A learner's code is run: bounded in time, its prints kept, its errors caught.

1. ``guard`` runs it; an alarm or ``own_thread`` end it when time is up
2. ``outcome`` is what became of one call; ``surroundings`` keeps prints off the page
3. ``assembly`` puts the learner's functions in the place of a class's methods
4. ``clocks`` says which clock their code reads
"""
