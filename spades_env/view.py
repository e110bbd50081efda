"""What one seat may know, seen from that seat.

A `View` is relative: seat 0 is the viewer, 1 the left-hand opponent, 2 the partner and
3 the right-hand opponent; team 0 is the viewer's. It holds the viewer's hand and public
facts, nothing else, so a decision made from a View is honest by construction (A1).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from spades_env.cards import ALL_CARDS, NO_CARDS, NUM_CARDS
from spades_env.game import NUM_SEATS, leader_of, legal_cards, phase_of
from spades_env.jit import jit
from spades_env.rules import RULES

VIEW = np.dtype(
    (
        np.record,
        np.dtype(
            [
                ("hand", np.int64),  # the viewer's cards
                ("legal", np.int64),  # cards the viewer may play now; 0 if not to play
                ("unseen", np.int64),  # cards in the three other hands
                ("played", np.int64, 4),  # cards that each seat has played
                ("table", np.int64),  # cards of the trick in progress
                ("voids", np.int64),  # bit 4 * seat + suit: shown void
                ("score", np.int32, 2),
                ("bags", np.int32, 2),
                ("deal", np.int32),
                # the rules of the table
                *((name, RULES[name]) for name in RULES.names or ()),
                ("plays", np.int8, 52),  # cards in the order of play, -1 after the last
                ("leader", np.int8, 13),  # who led each trick, -1 after the last
                ("bid", np.int8, 4),  # -1 before it is made
                ("won", np.int8, 4),
                ("dealer", np.int8),
                ("turn", np.int8),  # seat to act, -1 when the deal is over
                ("phase", np.int8),  # BIDDING, PLAY, DEAL_OVER, GAME_OVER
                ("step", np.int8),  # decisions made in this deal, 0..56
                ("lead_seat", np.int8),  # who leads or led the trick; -1 after the last
                ("led_suit", np.int8),  # of the trick in progress, or -1
                ("best_card", np.int8),  # that wins the trick so far, or -1
                ("best_seat", np.int8),  # and who played it, or -1
                ("broken", np.int8),
            ],
            align=True,
        ),
    )
)


@jit
def relative(seat: int, viewer: int) -> int:
    """A seat as `viewer` counts; -1 stays -1."""
    return (seat - viewer) & 3 if seat >= 0 else -1


@jit
def copy_rules(rules: Any, view: Any) -> None:
    """Write the rules of the table into a view."""
    view.target = rules.target
    view.floor = rules.floor
    view.trick_points = rules.trick_points
    view.nil_points = rules.nil_points
    view.bag_points = rules.bag_points
    view.bags_limit = rules.bags_limit
    view.bag_penalty = rules.bag_penalty
    view.bags_carried = rules.bags_carried
    view.failed_nil = rules.failed_nil
    view.set_team = rules.set_team


@jit
def look(game: Any, rules: Any, seat: int, view: Any, history: bool = True) -> None:
    """Write what `seat` (0..3) sees of a game into the `VIEW` record `view`.

    `history=False` leaves out `plays` and `leader`, which cost a third of the time and
    which the observation does not use.
    """
    hand = game.hand[seat]
    unseen = ALL_CARDS & ~hand
    for k in range(NUM_SEATS):
        other = (seat + k) & 3
        played = game.played[other]
        unseen &= ~played
        view.played[k] = played
        view.bid[k] = game.bid[other]
        view.won[k] = game.won[other]
    view.hand = hand
    view.unseen = unseen
    view.legal = legal_cards(game) if game.turn == seat else NO_CARDS
    view.table = game.table
    voids = game.voids
    view.voids = (voids >> (4 * seat) | voids << (16 - 4 * seat)) & 0xFFFF
    for k in range(2):
        team = (seat + k) & 1
        view.score[k] = game.score[team]
        view.bags[k] = game.bags[team]
    view.deal = game.deal
    view.dealer = relative(game.dealer, seat)
    view.turn = relative(game.turn, seat)
    view.phase = phase_of(game)
    view.step = game.step
    view.lead_seat = relative(leader_of(game), seat)
    view.led_suit = game.led_suit
    view.best_card = game.best_card
    view.best_seat = relative(game.best_seat, seat)
    view.broken = game.broken
    copy_rules(rules, view)
    if history:
        for k in range(NUM_CARDS):
            view.plays[k] = game.plays[k]
        for trick in range(13):
            view.leader[trick] = relative(game.leader[trick], seat)
