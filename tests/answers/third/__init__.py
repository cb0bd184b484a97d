"""Third trial answers, written from the learner edition alone."""
