"""Normal (A3): bids honours and lengths, covers nils, makes its contract, then ducks.

It remembers which suits somebody has shown void in, sees the cards on the table, and
counts nothing else. Of touching cards in a hand it plays the lowest that does the job.
"""

from __future__ import annotations

from typing import Any

from baselines.contracts import need, nil_alive
from baselines.estimate import expected_tricks, nil_gain
from spades_env.cards import (
    ACE,
    FIRST_SPADE,
    KING,
    ONE,
    QUEEN,
    SPADE_CARDS,
    SPADES,
    SUIT,
    count_cards,
    highest_card,
    lowest_card,
    suit_cards,
)
from spades_env.game import shown_void
from spades_env.jit import jit

SAFE_NIL = 0  # points that a nil must gain over the natural bid
CAUTION = 10  # hundredths of a trick: a set costs more than a bag
TRICKS = 13

REASONS = (
    "only card",
    "own nil: leads its lowest card",
    "own nil: highest card under the trick",
    "own nil: sheds its most dangerous card",
    "own nil: cannot avoid the trick",
    "keeps the partner's nil from the trick",
    "wins the trick as cheaply as it can",
    "ruffs",
    "the partner has the trick, or it cannot be won: lowest card",
    "leads a winner",
    "leads for a ruff",
    "leads low",
    "has enough tricks: highest card that loses",
    "has enough tricks: takes the one it must with its highest card",
)
(
    ONLY_CARD,
    NIL_LEADS,
    NIL_UNDER,
    NIL_SHEDS,
    NIL_FORCED,
    COVERS_NIL,
    WINS,
    RUFFS,
    THROWS_LOW,
    LEADS_WINNER,
    LEADS_FOR_RUFF,
    LEADS_LOW,
    DUCKS,
    UNLOADS,
) = range(14)


@jit
def bid(view: Any) -> int:
    """The whole tricks that the hand should take, or nil with a hand that is safe."""
    if view.bid[2] != 0 and nil_gain(view.hand) > SAFE_NIL:
        return 0
    told = 0
    for seat in range(1, 4):
        told += max(int(view.bid[seat]), 0)
    tricks = (expected_tricks(view.hand) - CAUTION) // 100
    # No more than one trick above what the others' bids leave.
    return max(1, min(tricks, TRICKS + 1 - told))


@jit
def by_rank(hand: int, cards: int, highest: bool) -> int:
    """Lowest or highest card of a set by rank.

    Of equal ranks a side suit goes before spades, and the shorter suit first, then the
    poorer one, so that no suit is preferred for its name.
    """
    choice = -1
    least = ONE << 60
    for suit in range(4):
        in_suit = cards & suit_cards(suit)
        if in_suit:
            card = highest_card(in_suit) if highest else lowest_card(in_suit)
            rank = card - 13 * suit
            holding = (hand >> 13 * suit) & SUIT
            key = (ACE - rank if highest else rank) << 20
            key += (count_cards(holding) << 13) + holding
            if suit == SPADES:
                key += 1 << 19
            if key < least:
                least = key
                choice = card
    return choice


@jit
def winners(view: Any, cards: int) -> int:
    """The cards of a set that beat what lies on the table (R8)."""
    best = int(view.best_card)
    return cards & ~((ONE << (best + 1)) - 1) & (suit_cards(best // 13) | SPADE_CARDS)


@jit
def lowest_touching(hand: int, card: int) -> int:
    """The lowest card of the sequence in the hand that `card` heads."""
    while card % 13 and (hand >> (card - 1)) & 1:
        card -= 1
    return card


@jit
def may_ruff(view: Any, seat: int, suit: int) -> bool:
    """Whether a seat has shown void in a side suit and not in spades."""
    return (
        suit != SPADES
        and shown_void(view.voids, seat, suit)
        and not shown_void(view.voids, seat, SPADES)
    )


@jit
def play_nil(view: Any) -> tuple[int, int]:
    """Our own nil: stay under the trick, and shed what could win a later one."""
    legal = view.legal
    if view.led_suit < 0:
        return by_rank(view.hand, legal, False), NIL_LEADS
    under = legal & ~winners(view, legal)
    if legal & suit_cards(int(view.led_suit)):
        if under:
            return highest_card(under), NIL_UNDER
        last = view.step & 3 == 3  # then the trick is lost anyway: shed the highest
        return highest_card(legal) if last else lowest_card(legal), NIL_FORCED
    if under & SPADE_CARDS:
        return highest_card(under & SPADE_CARDS), NIL_SHEDS
    if under:
        return by_rank(view.hand, under, True), NIL_SHEDS
    return lowest_card(legal), NIL_FORCED


@jit
def lead(view: Any, wanted: bool) -> tuple[int, int]:
    """The first card of a trick."""
    hand = view.hand
    legal = view.legal
    if nil_alive(view, 2):
        return by_rank(hand, legal, True), COVERS_NIL
    if not wanted:
        return by_rank(hand, legal, False), LEADS_LOW
    choice = -1
    reason = LEADS_LOW
    most = -(ONE << 60)
    for suit in range(4):
        if not legal & suit_cards(suit):
            continue
        holding = (hand >> 13 * suit) & SUIT
        length = count_cards(holding)
        top = highest_card(holding)
        rank = lowest_card(holding)
        why = LEADS_LOW
        if top == ACE and (suit != SPADES or length > 3):
            rank = ACE
            why = LEADS_WINNER
            value = 60 - 4 * length  # a short suit is less likely ruffed
        elif top == KING and (holding >> QUEEN) & 1:
            rank = KING
            why = LEADS_WINNER
            value = 40 - 4 * length
        elif suit == SPADES or top == KING:
            value = -10  # spades ruff, a king waits for the ace to go
        elif length == 1:
            why = LEADS_FOR_RUFF
            value = 20
        else:
            value = 10 - top
        if may_ruff(view, 2, suit):
            value += 30
        for seat in (1, 3):
            if may_ruff(view, seat, suit):
                value -= 40
        value = (value << 13) + holding
        if value > most:
            most = value
            choice = 13 * suit + rank
            reason = why
    return choice, reason


@jit
def follow(view: Any, wanted: bool) -> tuple[int, int]:
    """A later card of a trick."""
    hand = view.hand
    legal = view.legal
    place = view.step & 3
    over = winners(view, legal)
    under = legal & ~over
    side = over & ~SPADE_CARDS
    partner_has_it = view.best_seat == 2
    best_rank = int(view.best_card) % 13
    if over and nil_alive(view, 2):
        if partner_has_it:  # beat it: surely if we are last, else as high as we can
            return lowest_card(over) if place == 3 else highest_card(over), COVERS_NIL
        if place == 1:  # the partner still plays to this trick
            return highest_card(side) if side else lowest_card(over), COVERS_NIL
    if not wanted:
        if under & suit_cards(int(view.led_suit)):
            return highest_card(under & suit_cards(int(view.led_suit))), DUCKS
        if under & SPADE_CARDS:
            return highest_card(under & SPADE_CARDS), DUCKS
        if under:
            return by_rank(hand, under, True), DUCKS
        return (
            (highest_card(legal), UNLOADS)
            if place == 3
            else (
                lowest_card(legal),
                DUCKS,
            )
        )
    if over and not (partner_has_it and (place == 3 or best_rank >= KING)):
        if place == 3:
            return lowest_card(over), WINS
        if view.led_suit == SPADES:
            if place == 2 or (hand >> (FIRST_SPADE + ACE)) & 1:
                return lowest_touching(hand, highest_card(over)), WINS
        elif side:
            top = highest_card(side)
            # Third hand plays high; second hand only what is likely to win.
            if place == 2 or top % 13 >= KING:
                return lowest_touching(side, top), WINS
        elif not partner_has_it or best_rank < QUEEN:
            return lowest_card(over), RUFFS
    return by_rank(hand, under if under else legal, False), THROWS_LOW


@jit
def choose(view: Any) -> tuple[int, int]:
    """The card to play, and the reason (a place in `REASONS`)."""
    legal = view.legal
    if legal & (legal - 1) == 0:
        return lowest_card(legal), ONLY_CARD
    if nil_alive(view, 0):
        return play_nil(view)
    # Tricks are wanted for the contract, or when one more than theirs would set them.
    theirs = need(view, 1)
    wanted = need(view, 0) > 0 or (theirs > 0 and count_cards(view.hand) - theirs <= 1)
    if view.led_suit < 0:
        return lead(view, wanted)
    return follow(view, wanted)


@jit
def play(view: Any) -> int:
    """The card to play."""
    return choose(view)[0]
