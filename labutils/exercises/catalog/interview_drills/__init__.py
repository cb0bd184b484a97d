"""The code drills of the interview notebook; those after the second have a room each."""

ORDER = 90
TITLE = "Interview drills"
MINUTES = 150
