"""A learner's code is run: bounded in time, its prints kept, its errors caught.

1. ``guard`` runs it; ``alarm`` or ``own_thread`` end it when time is up
2. ``stopwatch`` says when that is: a busy machine gives it longer
3. ``outcome`` is what became of one call; ``surroundings`` keeps prints off the page
4. ``assembly`` puts the learner's functions in the place of a class's methods
5. ``clocks`` says which clock their code reads
"""
