"""Exercises and predictions of chapter 11, promises."""

from labutils.exercises.definition.sheet import predictions

ORDER = 10.5
TITLE = "Promises"
MINUTES = 66

PREDICTIONS = predictions("""
# promises.last_document_s · s, at least 0
? In the order of arrival the last document has its first token after 11 s. Now the chat always goes
  first. After how many seconds has the last document its first token?
= The last document has its first token after {}.
! The documents get what the chat leaves, and the chat leaves about half of the machine. So they
  take about twice as long. That is the bill of this policy, and here it costs nothing: the
  documents were promised a first token within two minutes.

# promises.deadlines_in_overload · 1, at least 0, at most 1
? One and a half times the requests that the server can compute arrive. Whose first token is due
  first starts first. Which share of them has its first token in time?
= In time is a share of {}.
! Two thirds of the work could be done in time. But the request whose token is due first is the one
  that is nearly late, or late already. The server works on it, and the next one becomes late
  meanwhile. Nobody has to be slow for that: it falls like dominoes.

# promises.arena_lead · 1, at least 0, at most 1
? Eight policies and yours on four workloads. A policy's share is that of all requests that keep all
  their promises, in the mean over the workloads. By how much does the best of the nine lead first
  come, first served? (0.1 is a lead of ten points.)
= The best leads the order of arrival by a share of {} of all requests.
! The server is the same, the requests are the same, and no policy makes the machine faster. The
  difference is all that an order and a refusal can do: who waits, and for whom nothing is computed
  in vain.
""")
