"""What may be done now, and in words why something else may not."""

from __future__ import annotations

import operator
from typing import Any

from spades_env.cards import NUM_CARDS, SPADES, card_text, cards_of, suit_of
from spades_env.game import (
    BID,
    BIDDING,
    NUM_ACTIONS,
    PLAY,
    is_legal,
    legal_cards,
    phase_of,
)

SUIT_NAMES = ("clubs", "diamonds", "hearts", "spades")


class IllegalActionError(ValueError):
    """An action that exists, but not for the seat to act in this position."""


def read_action(action: Any) -> int:
    """An action from outside as an int; raises ValueError unless it is one of 0..65."""
    try:
        number = operator.index(action)
    except TypeError:
        if action is None:
            raise ValueError(
                "None is the action of agents whose episode is over; this one must act"
            ) from None
        number = -1
    if not 0 <= number < NUM_ACTIONS:
        raise ValueError(
            f"an action is an integer 0 to {NUM_ACTIONS - 1} (0 to {BID - 1} play that"
            f" card, {BID} to {NUM_ACTIONS - 1} bid 0 to 13), not {action!r}"
        )
    return number


def action_text(action: int) -> str:
    """Words for an action 0..65: `play AS`, `bid 3`, `bid nil`."""
    if action < NUM_CARDS:
        return f"play {card_text(action)}"
    return f"bid {action - BID}" if action > BID else "bid nil"


def legal_actions(game: Any) -> list[int]:
    """Actions of the seat to act in a `GAME` record, ascending; none after a deal."""
    return [action for action in range(NUM_ACTIONS) if is_legal(game, action)]


def why_illegal(game: Any, action: int) -> str:
    """Say what is wrong with an action (0..65) that is not legal, and what is legal.

    For example `player_2 may not play AS (action 51): must follow diamonds; legal: 2D,
    TD`.
    """
    seat = int(game.turn)
    phase = phase_of(game)
    if phase not in (BIDDING, PLAY):
        return f"nobody may {action_text(action)} (action {action}): the deal is over"
    if phase == BIDDING:
        reason = "the bidding is not over"
        legal = f"bids 0 to 13 (actions {BID} to {NUM_ACTIONS - 1})"
    else:
        reason = _why_not_playable(game, action)
        legal = ", ".join(card_text(card) for card in cards_of(legal_cards(game)))
    return (
        f"player_{seat} may not {action_text(action)} (action {action}): {reason};"
        f" legal: {legal}"
    )


def _why_not_playable(game: Any, action: int) -> str:
    if action >= BID:
        return "the bidding is over"
    if not int(game.hand[game.turn]) >> action & 1:
        return f"does not hold {card_text(action)}"
    if game.led_suit >= 0:
        return f"must follow {SUIT_NAMES[game.led_suit]}"  # R7
    assert suit_of(action) == SPADES
    return "may not lead spades, which are not broken"  # R9
