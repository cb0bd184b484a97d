# ---
# jupyter:
#   course:
#     order: 18
#     slug: streaming_server
#     title: Streaming server
#     question: "FILL IN: what does the reader want to know?"
#     minutes: 20
#     needs: []
#     folder: labs
#     gpu: false
#     small: {}
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown] tags=["topic:A01"]
# FILL IN: a case that hurts somebody, with a number; then the right topic in this cell's tags.
#
# ## FILL IN: a question, since a prediction follows

# %%
from labutils.exercises import outcome, predict

# %%
predict("streaming_server.first")

# %% [markdown]
# ## FILL IN: the finding

# %%
measured = 6 * 7
outcome("streaming_server.first", measured)
