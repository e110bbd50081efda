"""The rules that can differ from table to table, as data."""

from __future__ import annotations

import dataclasses
import functools
import hashlib
import json
from typing import Any, Literal

import numpy as np

# The same values as one record, in the form that compiled functions read.
RULES = np.dtype(
    (
        np.record,
        np.dtype(
            [
                ("target", np.int32),
                ("floor", np.int32),  # NO_FLOOR where there is none
                ("trick_points", np.int32),
                ("nil_points", np.int32),
                ("bag_points", np.int32),
                ("bags_limit", np.int32),
                ("bag_penalty", np.int32),
                ("bags_carried", np.int32),
                ("failed_nil", np.int32),
                ("set_team", np.int32),
            ],
            align=True,
        ),
    )
)
NO_FLOOR = -(2**31)

FAILED_NIL_BAGS, FAILED_NIL_PARTNER, FAILED_NIL_NOTHING = 0, 1, 2
SET_MINUS, SET_ZERO = 0, 1

_CHOICES = {
    "failed_nil": ("bags", "partner", "nothing"),
    "set_team": ("minus", "zero"),
}
# Smallest and largest value of each number. The limits keep every sum that can occur in
# a deal far inside 32 bits.
_RANGES = {
    "target": (1, 1_000_000),
    "floor": (-1_000_000, -1),
    "trick_points": (0, 10_000),
    "nil_points": (0, 10_000),
    "bag_points": (-10_000, 10_000),
    "bags_limit": (1, 1_000),
    "bag_penalty": (0, 10_000),
}
_NOT_YET = ("jokers", "deuces_high", "suicide", "blind_nil", "whiz", "mirror")


@dataclasses.dataclass(frozen=True, kw_only=True)
class Rules:
    """Rules of a table; the defaults are the standard game.

    Attributes:
        target: score at which a game ends (R19).
        floor: score at or below which a game ends (R19); None: there is none.
        trick_points: points for each trick of the contract (R12, R13).
        nil_points: points for a nil, lost when it fails (R14).
        bag_points: points for each bag (R16).
        bags_limit: bags that bring a penalty (R17).
        bag_penalty: points lost each time the count reaches `bags_limit` (R17).
        bags_carried: bags over the limit carry over (R17); False: reaching the limit
            costs one penalty and empties the count.
        failed_nil: the tricks of a failed nil are `bags` (R15), count for the
            `partner`'s contract, or count for `nothing`.
        set_team: a team that misses its contract is charged for it, `minus` (R13), or
            scores `zero`.
        jokers, deuces_high, suicide, blind_nil, whiz, mirror: variants that exist
            elsewhere; switching one on is refused until it works.

    Raises:
        ValueError: a value is not allowed; the message names the field and what is.
        TypeError: a number is not an int, or a switch is not a bool.
    """

    target: int = 500
    floor: int | None = -200
    trick_points: int = 10
    nil_points: int = 100
    bag_points: int = 1
    bags_limit: int = 10
    bag_penalty: int = 100
    bags_carried: bool = True
    failed_nil: Literal["bags", "partner", "nothing"] = "bags"
    set_team: Literal["minus", "zero"] = "minus"
    jokers: bool = False
    deuces_high: bool = False
    suicide: bool = False
    blind_nil: bool = False
    whiz: bool = False
    mirror: bool = False

    def __post_init__(self) -> None:
        for name, (low, high) in _RANGES.items():
            value = getattr(self, name)
            if name == "floor" and value is None:
                continue
            if isinstance(value, bool) or not isinstance(value, int | np.integer):
                raise TypeError(f"Rules.{name} must be an int, not {value!r}")
            if not low <= value <= high:
                raise ValueError(
                    f"Rules.{name} must lie in {low} to {high}, not {value}"
                )
        for name, choices in _CHOICES.items():
            value = getattr(self, name)
            if value not in choices:
                raise ValueError(
                    f"Rules.{name} must be one of {', '.join(choices)}, not {value!r}"
                )
        for name in ("bags_carried", *_NOT_YET):
            value = getattr(self, name)
            if not isinstance(value, bool):
                raise TypeError(f"Rules.{name} must be a bool, not {value!r}")
        for name in _NOT_YET:
            if getattr(self, name):
                raise ValueError(
                    f"Rules.{name} is not implemented yet; only False is allowed"
                )

    @functools.cached_property
    def array(self) -> np.ndarray:
        """The rules as an array of one `RULES` record, read-only."""
        array = np.zeros(1, RULES)
        for name in RULES.names or ():
            value = getattr(self, name)
            if name in _CHOICES:
                value = _CHOICES[name].index(value)
            array[name] = NO_FLOOR if value is None else value
        array.flags.writeable = False
        return array

    @functools.cached_property
    def rules_id(self) -> str:
        """Short hash of all values; stored in checkpoints and checked on load."""
        text = json.dumps(dataclasses.asdict(self), sort_keys=True, default=int)
        return hashlib.sha256(text.encode()).hexdigest()[:12]

    def __getstate__(self) -> dict[str, Any]:
        # Without the cached values: a copied `array` would not be read-only, which to
        # Numba is another type, and everything would be compiled again.
        return dataclasses.asdict(self)

    def changes(self) -> dict[str, Any]:
        """The values that differ from the standard game."""
        return {
            field.name: getattr(self, field.name)
            for field in dataclasses.fields(self)
            if getattr(self, field.name) != field.default
        }


STANDARD = Rules()
