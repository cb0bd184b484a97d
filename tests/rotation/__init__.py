"""What repeats a proof at other sizes takes turns: a sixth in each check, chosen by the commit.

``in_turn`` asks for one unit. What a change reaches is always in turn (``reach``, ``changes``);
``hooks`` leaves out the marked tests that are not.
"""

from tests.rotation.turn import in_turn

__all__ = ["in_turn"]
