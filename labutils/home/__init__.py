"""Where a learner stands: the home that JupyterLab opens, and the card at a chapter's end.

Read ``standing`` (the journal read against ``workspace.outlines``, what each chapter asks),
``links`` (where a chapter opens from here), ``home_card``, ``recap_card`` (one chapter, kept
in ``my/recaps``), then ``home_page`` (the home drawn before JupyterLab starts).
"""

from labutils.home.home_card import home
from labutils.home.recap_card import recap

__all__ = ["home", "recap"]
