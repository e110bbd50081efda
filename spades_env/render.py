"""A game as text for people."""

from __future__ import annotations

from typing import Any

from spades_env.cards import (
    CLUBS,
    DIAMONDS,
    HEARTS,
    RANK_LETTERS,
    SPADES,
    SUIT_LETTERS,
    card_text,
    count_cards,
)
from spades_env.game import BIDDING, GAME_OVER, NO_BID, NUM_SEATS, PLAY, phase_of
from spades_env.rules import Rules


def render_text(game: Any, rules: Rules, seat: int | None = None) -> str:
    """The table as text of several lines.

    Args:
        game: `GAME` record.
        rules: rules of the table.
        seat: show the hand of this seat only, and of the others how many cards they
            hold; None shows all four hands.

    Raises:
        ValueError: there is no such seat.
    """
    if seat not in (None, *range(NUM_SEATS)):
        raise ValueError(f"seat must be None or 0 to 3, not {seat!r}")
    return "\n".join(
        (
            _headline(game),
            "",
            f"{'':19}bid  tricks  hand",
            *(_seat_line(game, k, seat in (None, k)) for k in range(NUM_SEATS)),
            "",
            *_trick_lines(game),
            "",
            f"{'':30}score  bags  contract  needed",
            *(_team_line(game, rules, team) for team in range(2)),
            *_result_lines(game),
        )
    )


def _headline(game: Any) -> str:
    phase = phase_of(game)
    if phase == BIDDING:
        stage = "bidding"
    elif game.turn >= 0:
        stage = f"trick {int(game.step) // 4} of 13"
    else:
        stage = "game over" if phase == GAME_OVER else "deal over"
    broken = "spades are broken" if game.broken else "spades are not broken"
    return f"Deal {game.deal + 1}, {stage}, {broken}"


def _seat_line(game: Any, seat: int, open_hand: bool) -> str:
    arrow = ">" if seat == game.turn else " "
    dealer = "dealer" if seat == game.dealer else ""
    hand = int(game.hand[seat])
    cards = _hand_text(hand) if open_hand else f"{count_cards(hand)} cards"
    return (
        f"{arrow} player_{seat} {dealer:6} {_bid_text(game, seat):>5}"
        f"  {game.won[seat]:6}  {cards}"
    )


def _bid_text(game: Any, seat: int) -> str:
    bid = int(game.bid[seat])
    if bid == NO_BID:
        return "-"
    return str(bid) if bid else "nil"


def _hand_text(hand: int) -> str:
    """A hand by suits, high cards first: `S AK4  H Q93  D -  C T2`."""
    suits = []
    for suit in (SPADES, HEARTS, DIAMONDS, CLUBS):
        ranks = "".join(
            RANK_LETTERS[rank]
            for rank in reversed(range(13))
            if hand >> (13 * suit + rank) & 1
        )
        suits.append(f"{SUIT_LETTERS[suit]} {ranks or '-'}")
    return "  ".join(suits)


def _trick_lines(game: Any) -> list[str]:
    """The trick in progress and the one before it; an asterisk marks the winner."""
    finished = (int(game.step) - NUM_SEATS) // 4
    lines = []
    if game.turn >= 0 and finished >= 0:
        lines.append(f"trick       {trick_text(game, finished)}")
    if finished >= 1:
        lines.append(f"last trick  {trick_text(game, finished - 1)}")
    return lines or ["trick       -"]


def trick_text(game: Any, trick: int) -> str:
    """One trick (0..12) that has begun; an asterisk marks who wins it."""
    in_progress = trick == int(game.step) // 4 - 1
    winner = int(game.best_seat) if in_progress else _winner(game, trick)
    leader = int(game.leader[trick])
    plays = []
    for k in range(NUM_SEATS):
        card = int(game.plays[NUM_SEATS * trick + k])
        if card >= 0:
            seat = (leader + k) % NUM_SEATS
            mark = "*" if seat == winner else ""
            plays.append(f"player_{seat} {card_text(card)}{mark}")
    return "  ".join(plays) or f"player_{leader} leads"


def _winner(game: Any, trick: int) -> int:
    """Seat that won a finished trick."""
    if trick < 12:
        return int(game.leader[trick + 1])  # R6
    led = [int(seat) for seat in game.leader[1:]]  # winners of the tricks before
    return next(s for s in range(NUM_SEATS) if int(game.won[s]) > led.count(s))


def _team_line(game: Any, rules: Rules, team: int) -> str:
    contract = 0
    tricks = 0
    for seat in (team, team + 2):
        bid, won = int(game.bid[seat]), int(game.won[seat])
        contract += max(bid, 0)
        if bid > 0 or (bid == 0 and rules.failed_nil == "partner"):
            tricks += won
    name = f"team {team} (player_{team}, player_{team + 2})"
    return (
        f"{name:30}{game.score[team]:5}  {game.bags[team]:4}  {contract:8}"
        f"  {max(contract - tricks, 0):6}"
    )


def _result_lines(game: Any) -> list[str]:
    """What a finished deal brought, and who won a finished game."""
    if phase_of(game) in (BIDDING, PLAY):
        return []
    points, bags = game.deal_points, game.deal_bags
    lines = ["", f"This deal: {points[0]:+} with {bags[0]} bags for team 0,"]
    lines[-1] += f" {points[1]:+} with {bags[1]} bags for team 1"
    if game.winner >= 0:
        lines.append(f"Team {game.winner} wins the game")
    return lines
