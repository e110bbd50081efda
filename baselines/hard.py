"""Hard (A4): asks of every card who will win the trick, and what that is worth.

The play is one sum, in points. A trick is worth what it decides: our contract, theirs,
a bag, a nil. A card brings its chance of that, less what it would have won later. All
of it follows from what the View shows: cards that remain, voids, bids, score.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from baselines.contracts import bag_cost, contract, need, nil_alive
from baselines.estimate import expected_tricks, nil_gain
from baselines.odds import SURE, above, trick_odds
from baselines.worth import hand_worth, suit_worth, unseen_after_lead
from spades_env.cards import (
    ONE,
    SPADE_CARDS,
    SPADES,
    SUIT,
    count_cards,
    lowest_card,
    suit_cards,
    suit_of,
)
from spades_env.jit import jit
from spades_env.rules import NO_FLOOR, SET_ZERO

# All numbers here were found by `baselines.tuning`. Bidding, in hundredths of a trick:
CAUTION = 10  # a set costs more than a bag
PARTNER = 20  # and more, the bigger the contract that hangs on it
OPPONENT = 19  # the last seat knows what the others claim
OPPONENT_NIL = 60  # a nil leaves its tricks to the others
BAGS_NEAR = 40  # at two bags below the penalty: rather a trick too many
TYPICAL = 3  # a bid not yet made
# Bidding, in points of `nil_gain`:
NIL_UNCOVERED = 105  # a partner who bid nil cannot cover
NIL_COVER = 7  # for each trick that the partner bid beyond three
NIL_DESPERATE = 60  # what a nil may lose when nothing else wins the game

# Playing: how far tricks stray from their mean, in sixteenths; how much of a card's
# later worth counts.
SPREAD, SPREAD_PER_TRICK = 3.0, 0.8
KEEP = 176  # in 256ths; a trick in the hand is worth more than one to come
KEEP_LEADING = 272  # but a lead puts no trick in the hand
COVER_KEEP = 20  # points that a winner is worth for covering the partner's nil
NIL_KEEP = 30  # points that a trick in danger later costs our own nil
GAME = 150  # points that a contract counts more when it ends the game
# How much bags count in 256ths, by tricks left, while the contract is not made: at
# first it is what matters, and a bag can still be avoided later.
BAGS_COUNT = np.array([256, 256, 256, 256, 256, 256, 200, 100, 40, 0, 0, 0, 0, 0])
# AT_MOST[left, d + 128]: chance that a team takes at most so many of its tricks, d
# sixteenths of a trick above the mean: a logistic curve, narrower towards the end.
AT_MOST = np.array(
    [
        [
            round(SURE / (1 + np.exp(-d / (SPREAD + SPREAD_PER_TRICK * left))))
            for d in range(-128, 129)
        ]
        for left in range(14)
    ],
    np.int64,
)

REASONS = (
    "only card",
    "own nil: stays under the trick",
    "own nil: sheds what might win later",
    "own nil: cannot avoid the trick",
    "keeps the partner's nil from the trick",
    "gives an opponent's nil the trick",
    "the partner has the trick",
    "wins a trick for the contract",
    "wins a trick to set the opponents",
    "wins a trick that it cannot leave",
    "leads a card that should win",
    "leads what costs least",
    "wants no bag: stays under the trick",
    "cannot win: keeps what is worth more",
    "leaves the trick: the card is worth more later",
)
(
    ONLY_CARD,
    NIL_UNDER,
    NIL_SHEDS,
    NIL_FORCED,
    COVERS_NIL,
    ATTACKS_NIL,
    PARTNER_HAS_IT,
    WINS_CONTRACT,
    WINS_SET,
    WINS_BAG,
    LEADS_WINNER,
    LEADS_CHEAP,
    AVOIDS_BAG,
    CANNOT_WIN,
    SAVES,
) = range(15)


@jit
def natural_bid(view: Any) -> int:
    """Tricks to bid with the hand and the bids so far, the score apart."""
    last = view.step == 3
    tricks = expected_tricks(view.hand) - CAUTION
    if view.bags[0] >= view.bags_limit - 2:
        tricks += BAGS_NEAR
    if last:
        tricks -= (tricks - 300) // 5  # the others' bids say part of it already
    for seat in range(1, 4):
        bid = int(view.bid[seat])
        if seat == 2 and bid > 0:
            tricks -= PARTNER * (bid - TYPICAL)
        elif seat != 2 and bid == 0:
            tricks += OPPONENT_NIL
        elif seat != 2 and bid > 0 and last:
            tricks -= OPPONENT * (bid - TYPICAL)
    return max(1, min(13, tricks // 100))


@jit
def promised(view: Any, seat: int) -> int:
    """Points that a seat's bid, or a typical one, brings if it is made."""
    bid = int(view.bid[seat])
    if bid == 0:
        return int(view.nil_points)
    return int(view.trick_points) * (bid if bid > 0 else TYPICAL)


@jit
def bid(view: Any) -> int:
    """What the hand should take, or nil; near the end of the game, what it needs."""
    natural = natural_bid(view)
    gain = nil_gain(view.hand)
    partner = int(view.bid[2])
    if partner == 0:
        gain -= NIL_UNCOVERED
    elif partner > 0:
        gain += NIL_COVER * (partner - TYPICAL)
    ours = int(view.score[0]) + promised(view, 2)
    theirs = int(view.score[1]) + promised(view, 1) + promised(view, 3)
    target = int(view.target)
    goal = max(target, theirs + 1)
    trick = max(int(view.trick_points), 1)
    wanted = -((ours - goal) // trick)  # tricks to bid to win the game now
    if wanted <= natural:
        # The hand wins the game: no nil, and one trick of safety if there is room.
        return max(1, wanted, natural - 1)
    if theirs >= target:
        # They are about to win: a stretch or a doubtful nil loses nothing more.
        if wanted <= natural + 2:
            return min(wanted, 13)
        if gain > -NIL_DESPERATE and ours + view.nil_points >= goal:
            return 0
    elif partner >= 0 and wanted == natural + 1:
        return min(wanted, 13)
    if gain > 0:
        return 0
    contract_fails = ours - 2 * promised(view, 2) - trick * natural
    if view.floor != NO_FLOOR and contract_fails <= view.floor:
        return max(1, natural - 1)
    return natural


@jit
def bid_tricks_left(view: Any, seat: int) -> int:
    """Tricks, in sixteenths, that a seat's bid promises for the rest of the deal."""
    if view.bid[seat] <= 0:
        return 4
    return max(16 * (int(view.bid[seat]) - int(view.won[seat])), 8)


@jit
def mean_tricks(view: Any, left: int) -> int:
    """Our team's tricks, in sixteenths, of those left.

    Our own by our cards, the others' by their bids; what nobody claims is shared.
    """
    own = hand_worth(view.hand, view.unseen) >> 4
    partner = bid_tricks_left(view, 2)
    theirs = bid_tricks_left(view, 1) + bid_tricks_left(view, 3)
    return own + partner + (16 * left - own - partner - theirs) // 2


@jit
def swing(view: Any, side: int) -> int:
    """Points between making and missing a team's contract (R12, R13)."""
    made = int(view.trick_points) * contract(view, side)
    lost = 0 if view.set_team == SET_ZERO else made
    score = int(view.score[side])
    ends = score + made >= view.target or (
        view.floor != NO_FLOOR and score - lost <= view.floor
    )
    return made + lost + (GAME if ends else 0)


@jit
def at_most(tricks: int, mean: int, left: int) -> int:
    """Chance that our team takes at most `tricks`, given its mean in sixteenths."""
    return AT_MOST[left, min(max(16 * tricks + 8 - mean, -128), 128) + 128]


@jit
def stake(view: Any, left: int) -> int:
    """Points, in sixteenths, that winning this trick brings our team.

    It makes our contract if the other tricks bring exactly one too few; it sets the
    opponents if they would otherwise just make theirs; else it is a bag that we take,
    or that they do not.
    """
    ours = need(view, 0)
    theirs = need(view, 1)
    mean = mean_tricks(view, left) * (left - 1) // left
    bags = BAGS_COUNT[left] if ours > 0 else SURE
    value = 0
    short = 0  # chance that the other tricks leave us short
    if ours > 0:
        short = at_most(ours - 1, mean, left)
        value += (short - at_most(ours - 2, mean, left)) * swing(view, 0)
    value -= (bags * (SURE - short) * bag_cost(view, 0, max(-ours, 0))) >> 8
    over = SURE  # chance that the other tricks bring them more than they need
    if theirs > 0:
        over = at_most(left - theirs - 1, mean, left)
        value += (at_most(left - theirs, mean, left) - over) * swing(view, 1)
    value -= (bags * over * bag_cost(view, 1, max(-theirs, 0))) >> 8
    return value >> 4


@jit
def suit_danger(hand: int, unseen: int, suit: int) -> int:
    """Chance, in 256ths, that a nil's cards of a suit win tricks that it must lose.

    The lowest card is in danger by the share of cards below it; the next ones have two
    cards less below them for every round that was ducked.
    """
    mine = (hand >> 13 * suit) & SUIT
    out = (unseen >> 13 * suit) & SUIT
    total = count_cards(out)
    danger = 0
    for ducked in range(4):
        if not (mine and total):
            break
        low = mine & -mine
        mine ^= low
        lower = max(count_cards(out & (low - 1)) - 2 * ducked, 0)
        danger += SURE * lower * lower // (total * total)
    return danger


@jit
def worth_without(view: Any, card: int, leading: bool) -> int:
    """What the hand is worth later without a card: its suit, or for a spade, all of it.

    Side suits gain when a lead of spades takes the last trumps.
    """
    suit = suit_of(card)
    rest = view.hand & ~(ONE << card)
    unseen = unseen_after_lead(view, card) if leading else view.unseen
    if suit == SPADES:
        return hand_worth(rest, unseen)
    return suit_worth(rest, unseen, suit)


@jit
def rest_chance(view: Any, card: int, left: int, leading: bool) -> int:
    """Chance, in 256ths, that we win all the other tricks left if a card is played."""
    unseen = unseen_after_lead(view, card) if leading else view.unseen
    worth = hand_worth(view.hand & ~(ONE << card), unseen)
    worth += 16 * bid_tricks_left(view, 2)
    return min(worth // max(left - 1, 1), SURE)


@jit
def beaters(view: Any, cards: int) -> int:
    """The cards of a set that beat what lies on the table (R8)."""
    best = int(view.best_card)
    return cards & above(best) & (suit_cards(best // 13) | SPADE_CARDS)


@jit
def reason_for(view: Any, card: int, trick: int) -> int:
    """Why a card is played, as a place in `REASONS`; `trick` is the stake."""
    place = int(view.step) & 3
    p0, p1, p2, p3 = trick_odds(view, card, trick >= 0, True)
    wins = place == 0 or beaters(view, ONE << card) != 0
    if nil_alive(view, 0):
        if wins:
            return NIL_FORCED if p0 > SURE // 4 else NIL_UNDER
        follows = card // 13 == view.led_suit
        return NIL_UNDER if follows else NIL_SHEDS
    if nil_alive(view, 2) and wins and p2 < SURE // 8:
        return COVERS_NIL
    nil_takes = (p1 if nil_alive(view, 1) else 0) + (p3 if nil_alive(view, 3) else 0)
    if nil_takes > SURE // 8:
        return ATTACKS_NIL
    if place == 0:
        return LEADS_WINNER if p0 > SURE // 2 else LEADS_CHEAP
    if wins:
        if trick <= 0:
            return WINS_BAG
        return WINS_CONTRACT if need(view, 0) > 0 else WINS_SET
    if trick <= 0:
        return AVOIDS_BAG
    if view.best_seat == 2:
        return PARTNER_HAS_IT
    return SAVES if beaters(view, view.legal) else CANNOT_WIN


@jit
def choose(view: Any) -> tuple[int, int]:
    """The card with the best sum, and the reason (a place in `REASONS`)."""
    legal = view.legal
    if legal & (legal - 1) == 0:
        return lowest_card(legal), ONLY_CARD
    leading = view.step & 3 == 0
    own_nil = nil_alive(view, 0)
    nil_swing = 2 * 16 * int(view.nil_points)
    left = count_cards(view.hand)
    trick = 0 if own_nil else stake(view, left)
    every = need(view, 0) == left and not own_nil  # then one lost trick is a set
    mine = -nil_swing if own_nil else trick
    partners = trick - nil_swing if nil_alive(view, 2) else trick
    nil_1 = nil_swing if nil_alive(view, 1) else 0
    nil_3 = nil_swing if nil_alive(view, 3) else 0
    keep = trick + (16 * COVER_KEEP if nil_alive(view, 2) else 0)
    keep *= KEEP_LEADING if leading else KEEP
    if own_nil:
        keep = 16 * NIL_KEEP
    if view.step & 3 == 3 and view.best_seat == 2 and partners > 0:
        under = legal & ~beaters(view, legal)
        if under:  # last, and the partner has the trick: leave it there
            legal = under
    we = trick >= 0
    they = need(view, 0) > 0 or need(view, 1) > 0  # to set us, or to make theirs
    most = -(ONE << 60)
    choice = -1
    for suit in range(4):
        cards = legal & suit_cards(suit)
        if not cards:
            continue
        cards &= ~(cards << 1)  # of touching cards, which are equal, the lowest
        if own_nil:
            worth = suit_danger(view.hand, view.unseen, suit)
        elif suit == SPADES:
            worth = hand_worth(view.hand, view.unseen)
        else:
            worth = suit_worth(view.hand, view.unseen, suit)
        while cards:
            card = lowest_card(cards)
            cards &= cards - 1
            p0, p1, p2, p3 = trick_odds(view, card, we, they)
            score = p0 * mine + p1 * nil_1 + p2 * partners + p3 * nil_3
            if own_nil:
                rest = view.hand & ~(ONE << card)
                score += keep * (worth - suit_danger(rest, view.unseen, suit))
            elif every:
                score -= (p0 + p2) * trick
                rest = rest_chance(view, card, left, leading)
                score += ((p0 + p2) * rest * 16 * swing(view, 0)) >> 8
            else:
                score -= (keep * (worth - worth_without(view, card, leading))) >> 8
            # Exact ties go to the better suit, so that no suit is preferred.
            holding = (view.hand >> 13 * suit) & SUIT
            out = (view.unseen >> 13 * suit) & SUIT
            score = (score << 26) + (holding << 13) + out
            if score > most:
                most = score
                choice = card
    return choice, reason_for(view, choice, trick)


@jit
def play(view: Any) -> int:
    """The card to play."""
    return choose(view)[0]
