"""A learner's code, run: on which input it fails, in what way, and at which of its lines.

``guard`` runs it within a time limit: ``alarm`` or ``own_thread`` end it, ``surroundings`` keeps
its prints off the page, ``outcome`` is what became of it. ``trial`` sets it beside the reference,
``compare`` and ``fault`` say what differs. ``draws`` finds inputs for a function and ``drawing``
numbers for a story; ``shortest`` leaves out what a failure does not need. ``culprit`` finds the
line, ``literal`` writes the call. ``assembly`` puts the learner's function in a method's place.
"""
