"""Policies that know promises, and that have to play by the arena's rules."""

from labutils.serving.promises.policies import Promising

NEWCOMERS = {
    "first come": Promising,
}
