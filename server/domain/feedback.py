"""What a team learns of its scores while a phase goes on."""

from typing import Literal

Feedback = Literal["hidden", "scores", "rounded", "public-part", "ladder"]
Part = Literal["public", "rest"]
"""The two parts of a split some of whose items were declared public."""
