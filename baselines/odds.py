"""Who will win the trick: chances from the cards, voids and bids that a View shows.

All chances are in 256ths, so that sums are exact. A card that nobody has shown lies
in each of the hands that may hold it with equal chance.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from baselines.contracts import nil_alive
from spades_env.cards import (
    FIRST_SPADE,
    ONE,
    SPADE_CARDS,
    SPADES,
    count_cards,
    lowest_card,
    suit_cards,
    suit_of,
)
from spades_env.game import shown_void
from spades_env.jit import jit

SURE = 256
OTHERS = np.int64(0x1110)  # bit 4 * seat of the three other seats

# NONE[q, k]: chance that one of q hands holds none of k cards that lie in the q hands.
NONE = np.array(
    [
        [round(SURE * (1 - 1 / hands) ** cards) for cards in range(40)]
        if hands
        else [SURE] * 40
        for hands in range(4)
    ],
    np.int64,
)


@jit
def holders(view: Any, suit: int) -> int:
    """How many of the other three may still hold cards of a suit."""
    return 3 - count_cards(view.voids & (OTHERS << suit))


@jit
def above(card: int) -> int:
    """Set of all cards with a higher number."""
    return ~((ONE << (card + 1)) - 1)


@jit
def can_beat(view: Any, seat: int, led: int, best: int) -> int:
    """Chance that a seat can beat `best` on a trick in the suit `led`."""
    higher = view.unseen & above(best)
    spades = 0
    if not shown_void(view.voids, seat, SPADES):
        q = holders(view, SPADES)
        spades = SURE - NONE[q, count_cards(higher & SPADE_CARDS)]
    if led == SPADES or shown_void(view.voids, seat, led):
        return spades
    q = holders(view, led)
    in_suit = suit_cards(led)
    ruffs = (NONE[q, count_cards(view.unseen & in_suit)] * spades) >> 8
    if best >= FIRST_SPADE:
        return ruffs
    return min(ruffs + SURE - NONE[q, count_cards(higher & in_suit)], SURE)


@jit
def must_beat(view: Any, seat: int, led: int, best: int) -> int:
    """Chance that a seat which wants no trick cannot help beating `best`."""
    unseen = view.unseen & ~(ONE << best)
    lower = ~above(best)
    in_suit = unseen & suit_cards(led)
    q = holders(view, led)
    follows = 0
    void = SURE
    if not shown_void(view.voids, seat, led):
        void = NONE[q, count_cards(in_suit)]
        if best < FIRST_SPADE or led == SPADES:
            high = SURE - NONE[q, count_cards(in_suit & ~lower)]
            follows = (NONE[q, count_cards(in_suit & lower)] * high) >> 8
    if led == SPADES or shown_void(view.voids, seat, SPADES):
        return follows
    # A void hand is forced only if it holds nothing but spades that win.
    harmless = (
        unseen & ~in_suit & (~SPADE_CARDS | (lower if best >= FIRST_SPADE else 0))
    )
    return follows + ((void * NONE[3, count_cards(harmless)]) >> 8)


@jit
def overtaker(unseen: int, led: int, best: int) -> int:
    """A card that takes a trick over from `best`: the middle one of those that can."""
    trump = best >= FIRST_SPADE and led != SPADES
    higher = unseen & above(best) & (SPADE_CARDS if trump else suit_cards(led))
    if not higher:
        return best
    for _ in range((count_cards(higher) - 1) // 2):
        higher &= higher - 1
    return lowest_card(higher)


@jit
def take_over(
    view: Any, seat: int, owner: int, led: int, best: int, chance: int, eager: bool
) -> int:
    """How much of `chance`, that `owner` holds the trick with `best`, goes to `seat`.

    A nil, and a team that is not eager, beats only what it must. Opponents of a nil
    leave it the trick if they can; its partner takes it away. Otherwise partners leave
    each other's tricks alone, except that the viewer's, third to play, plays high.
    """
    if chance == 0:
        return 0
    partners = (seat ^ owner) & 1 == 0
    covers = partners and nil_alive(view, owner)
    if nil_alive(view, seat) or (not covers and (nil_alive(view, owner) or not eager)):
        return (chance * must_beat(view, seat, led, best)) >> 8
    if partners and not covers and seat != 2:
        return 0
    return (chance * can_beat(view, seat, led, best)) >> 8


@jit
def trick_odds(view: Any, card: int, we: bool, they: bool) -> tuple[int, int, int, int]:
    """Chance of each seat to win the trick if the viewer plays `card`.

    Args:
        view: `VIEW` record.
        card: a legal card.
        we: whether the partner is eager for tricks.
        they: whether the opponents are.
    """
    place = int(view.step) & 3
    best = int(view.best_card)
    led = int(view.led_suit)
    p0 = p1 = p2 = p3 = 0
    if place == 0:
        led = suit_of(card)
    if place == 0 or (
        card > best and (card >= FIRST_SPADE or suit_of(card) == suit_of(best))
    ):
        best = card
        p0 = SURE
    elif view.best_seat == 1:
        p1 = SURE
    elif view.best_seat == 2:
        p2 = SURE
    else:
        p3 = SURE
    # Whoever takes over plays a middling card; the seats after it have that to beat.
    if place <= 2:
        from_0 = take_over(view, 1, 0, led, best, p0, they)
        from_2 = take_over(view, 1, 2, led, best, p2, they)
        from_3 = take_over(view, 1, 3, led, best, p3, they)
        p0 -= from_0
        p2 -= from_2
        p3 -= from_3
        p1 += from_0 + from_2 + from_3
    if place <= 1:
        higher = overtaker(view.unseen, led, best)
        from_0 = take_over(view, 2, 0, led, best, p0, we)
        from_1 = take_over(view, 2, 1, led, higher, p1, we)
        from_3 = take_over(view, 2, 3, led, best, p3, we)
        p0 -= from_0
        p1 -= from_1
        p3 -= from_3
        p2 += from_0 + from_1 + from_3
        if place == 0:
            from_0 = take_over(view, 3, 0, led, best, p0, they)
            from_1 = take_over(view, 3, 1, led, higher, p1, they)
            from_2 = take_over(view, 3, 2, led, higher, p2, they)
            p0 -= from_0
            p1 -= from_1
            p2 -= from_2
            p3 += from_0 + from_1 + from_2
    return p0, p1, p2, p3
