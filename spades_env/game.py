"""The game: one record that holds everything, and the functions that change it.

A `Game` is a `GAME` record; many games are one array of them. All functions here are
compiled, take records by reference, and trust their caller: whoever takes actions from
outside asks `is_legal` first.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from spades_env.cards import (
    ALL_CARDS,
    FIRST_SPADE,
    NO_CARDS,
    NUM_CARDS,
    ONE,
    SPADE_CARDS,
    SPADES,
    suit_cards,
    suit_of,
)
from spades_env.chance import GOLDEN, MASK64, below, derive, mix
from spades_env.jit import jit
from spades_env.scoring import count_bags, score_bids, winning_team

NUM_SEATS = 4
NUM_ACTIONS = 66  # 0..51 play that card, 52..65 bid 0..13
BID = 52  # action of the bid 0 (nil)
NUM_BIDS = 14

DECISIONS = 56  # of one deal: 4 bids, then 52 plays
NO_BID = -1

BIDDING, PLAY, DEAL_OVER, GAME_OVER = range(4)

GAME = np.dtype(
    (
        np.record,
        np.dtype(
            [
                ("hand", np.int64, 4),  # cards that each seat holds
                ("played", np.int64, 4),  # cards that each seat has played
                ("table", np.int64),  # cards of the trick in progress
                (
                    "voids",
                    np.int64,
                ),  # bit 4 * seat + suit: shown void (see `shown_void`)
                ("seed", np.uint64),  # with `deal`, the whole random state
                ("deal", np.int32),  # number of this deal, from 0
                ("score", np.int32, 2),  # by team
                ("bags", np.int32, 2),
                ("deal_points", np.int32, 2),  # what the finished deal added (R11-R17)
                ("deal_bags", np.int32, 2),  # bags taken in it
                ("deal_penalties", np.int32, 2),  # and penalties they brought
                ("plays", np.int8, 52),  # cards in the order of play
                ("leader", np.int8, 13),  # seat that led each trick
                ("bid", np.int8, 4),  # NO_BID before it is made
                ("won", np.int8, 4),  # tricks taken
                ("dealer", np.int8),
                ("turn", np.int8),  # seat to act; -1 when the deal is over
                ("step", np.int8),  # decisions made in this deal, 0..56
                ("led_suit", np.int8),  # of the trick in progress; -1 before its lead
                (
                    "best_card",
                    np.int8,
                ),  # that wins the trick so far; -1 before its lead
                ("best_seat", np.int8),
                ("broken", np.int8),  # 1 once a spade has been played (R9)
                ("winner", np.int8),  # team that won the game; -1 while it goes on
            ],
            align=True,
        ),
    )
)


@jit
def deal_cards(game: Any) -> None:
    """Give the 52 cards of deal number `game.deal` of the game's seed (R2).

    A Fisher-Yates shuffle; the fourth hand is what the first three leave.
    """
    key = derive(int(game.seed), int(game.deal))
    deck = game.plays  # free until the deal starts, so nothing is allocated
    for card in range(NUM_CARDS):
        deck[card] = card
    last = NUM_CARDS
    rest = ALL_CARDS
    for seat in range(NUM_SEATS - 1):
        hand = NO_CARDS
        for _ in range(13):
            key = (key + GOLDEN) & MASK64
            place = below(mix(key), last)
            last -= 1
            hand |= ONE << deck[place]
            deck[place] = deck[last]
        game.hand[seat] = hand
        rest &= ~hand
    game.hand[3] = rest


@jit
def start_deal(game: Any) -> None:
    """Clear all that belongs to one deal; the hands and the dealer stand already."""
    for seat in range(NUM_SEATS):
        game.played[seat] = 0
        game.bid[seat] = NO_BID
        game.won[seat] = 0
    for team in range(2):
        game.deal_points[team] = 0
        game.deal_bags[team] = 0
        game.deal_penalties[team] = 0
    for k in range(NUM_CARDS):
        game.plays[k] = -1
    for trick in range(13):
        game.leader[trick] = -1
    game.table = 0
    game.voids = 0
    game.turn = (game.dealer + 1) & 3  # R4
    game.leader[0] = game.turn  # R6
    game.step = 0
    game.led_suit = -1
    game.best_card = -1
    game.best_seat = -1
    game.broken = 0


@jit
def clear_scores(game: Any) -> None:
    """Set a game back to 0 to 0, without bags or a winner."""
    for team in range(2):
        game.score[team] = 0
        game.bags[team] = 0
    game.winner = -1


@jit
def start_game(game: Any, seed: int) -> None:
    """Begin a new game at 0 to 0: draw the first dealer (R3) and deal.

    `seed` (uint64) decides the dealer and all deals of the game.
    """
    game.seed = seed
    game.deal = 0
    clear_scores(game)
    # Streams 0, 1, 2, ... of the seed are the deals; the dealer is a draw of its own.
    game.dealer = below(derive(seed, MASK64), NUM_SEATS)
    deal_cards(game)
    start_deal(game)


@jit
def next_deal(game: Any) -> None:
    """Pass the deal one seat clockwise (R3) and deal the next cards."""
    game.dealer = (game.dealer + 1) & 3
    game.deal += 1
    deal_cards(game)
    start_deal(game)


@jit
def phase_of(game: Any) -> int:
    """BIDDING, PLAY, DEAL_OVER or GAME_OVER."""
    if game.step < NUM_SEATS:
        return BIDDING
    if game.step < DECISIONS:
        return PLAY
    return DEAL_OVER if game.winner < 0 else GAME_OVER


@jit
def shown_void(voids: int, seat: int, suit: int) -> bool:
    """Whether everybody knows that `seat` has no card of `suit` left."""
    return (voids >> (4 * seat + suit)) & 1 == 1


@jit
def leader_of(game: Any) -> int:
    """Seat that leads or led the trick in progress (R6); -1 when the deal is over."""
    if game.step >= DECISIONS:
        return -1
    return int(game.leader[max((game.step >> 2) - 1, 0)])


@jit(forceinline=True)
def legal_cards(game: Any) -> int:
    """Set of the cards that the seat to act may play; empty outside the play."""
    if game.step < NUM_SEATS or game.step >= DECISIONS:
        return NO_CARDS
    hand = game.hand[game.turn]
    if game.led_suit >= 0:
        follow = hand & suit_cards(game.led_suit)
        return follow if follow else hand  # R7
    side_suits = hand & ~SPADE_CARDS
    return side_suits if side_suits and not game.broken else hand  # R9


@jit
def is_legal(game: Any, action: int) -> bool:
    """Whether the seat to act may take this action (0..65)."""
    if game.step < NUM_SEATS:
        return BID <= action < NUM_ACTIONS  # R4
    return 0 <= action < NUM_CARDS and (legal_cards(game) >> action) & 1 == 1


@jit
def score_deal(game: Any, rules: Any) -> None:
    """Add the finished deal to scores and bags, and see whether the game is over."""
    for team in range(2):
        points, taken = score_bids(
            rules,
            int(game.bid[team]),
            int(game.bid[team + 2]),
            int(game.won[team]),
            int(game.won[team + 2]),
        )
        bags, penalties = count_bags(rules, int(game.bags[team]), taken)
        points += taken * rules.bag_points - penalties * rules.bag_penalty
        game.score[team] += points
        game.bags[team] = bags
        game.deal_points[team] = points
        game.deal_bags[team] = taken
        game.deal_penalties[team] = penalties
    game.winner = winning_team(rules, int(game.score[0]), int(game.score[1]))


@jit(forceinline=True)
def play_card(game: Any, rules: Any, card: int) -> None:
    """Play a card for the seat to act (R6 to R10)."""
    seat = int(game.turn)
    step = int(game.step)
    bit = ONE << card
    game.hand[seat] &= ~bit
    game.played[seat] |= bit
    game.table |= bit
    game.plays[step - NUM_SEATS] = card
    suit = suit_of(card)
    if step & 3 == 0:
        game.led_suit = suit
        game.best_card = card
        game.best_seat = seat
        if suit == SPADES and not game.broken:
            game.voids |= 0b0111 << (4 * seat)  # R9: nothing but spades was left
    else:
        # Without branches, which random cards would make the processor guess wrong.
        led_suit = int(game.led_suit)
        game.voids |= np.int64(suit != led_suit) << (4 * seat + led_suit)  # R7
        # R8: spades are the highest cards by number, so a higher card that is a spade
        # or follows suit wins.
        best = int(game.best_card)
        wins = (card > best) & ((card >= FIRST_SPADE) | (suit == led_suit))
        game.best_card = card if wins else best
        game.best_seat = seat if wins else int(game.best_seat)
    game.broken |= card >= FIRST_SPADE
    step += 1
    game.step = step
    if step & 3:
        game.turn = (seat + 1) & 3
        return
    winner = game.best_seat
    game.won[winner] += 1
    game.table = 0
    game.led_suit = -1
    game.best_card = -1
    game.best_seat = -1
    if step < DECISIONS:
        game.turn = winner
        game.leader[(step >> 2) - 1] = winner
    else:
        game.turn = -1
        score_deal(game, rules)


@jit(forceinline=True)
def apply(game: Any, rules: Any, action: int) -> None:
    """Take a legal action; after the last card of a deal, score it."""
    if game.step < NUM_SEATS:
        game.bid[game.turn] = action - BID
        game.turn = (game.turn + 1) & 3
        game.step += 1
    else:
        play_card(game, rules, action)


@jit
def deal_value(game: Any, rules: Any, team: int) -> float:
    """Points of a finished deal with each bag charged its share of the penalty.

    The value of a single deal for its own sake: a bag counts `bag_points` less
    `bag_penalty / bags_limit`, -9 by default, and no penalty is charged, so that the
    bags a team happened to hold before do not matter.
    """
    share = rules.bag_penalty / rules.bags_limit
    return (
        game.deal_points[team]
        + rules.bag_penalty * game.deal_penalties[team]
        - share * game.deal_bags[team]
    )
