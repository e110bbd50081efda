"""A slow reference of Spades, written from the rules page alone.

It shares no code with the engine, so that a test can play both side by side. Every
place that decides something carries the number of its rule (``# R9``).

Cards are 0 to 51, suit * 13 + rank: suits clubs, diamonds, hearts, spades; rank 0 is
the 2 and rank 12 the ace. Actions 0 to 51 play that card, 52 to 65 bid 0 to 13.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

CLUBS, DIAMONDS, HEARTS, SPADES = range(4)
SIDE_SUITS = {CLUBS, DIAMONDS, HEARTS}
FIRST_BID = 52  # the action that bids 0
ALL_BIDS = range(FIRST_BID, FIRST_BID + 14)  # R4: a bid is 0 to 13


def suit_of(card: int) -> int:
    """Return the suit of a card, 0 to 3."""
    return card // 13


def rank_of(card: int) -> int:
    """Return the rank of a card, 0 (the 2) to 12 (the ace)."""
    return card % 13  # R2


def team_of(seat: int) -> int:
    """Return the team of a seat: 0 for seats 0 and 2, 1 for seats 1 and 3."""
    return seat % 2  # R1


def next_seat(seat: int) -> int:
    """Return the seat to the left, which is the next one clockwise."""
    return (seat + 1) % 4  # R1


@dataclass(frozen=True)
class ReferenceRules:
    """The numbers and the scoring switches, each with its default."""

    target: int = 500
    floor: int | None = -200
    trick_points: int = 10
    nil_points: int = 100
    bag_points: int = 1
    bags_limit: int = 10
    bag_penalty: int = 100
    bags: Literal["carry", "empty"] = "carry"
    failed_nil: Literal["bags", "partner", "nothing"] = "bags"
    set_team: Literal["minus", "zero"] = "minus"

    def __post_init__(self) -> None:
        """Refuse a switch that has no such setting."""
        if self.bags not in ("carry", "empty"):
            raise ValueError(f"bags: {self.bags!r}")
        if self.failed_nil not in ("bags", "partner", "nothing"):
            raise ValueError(f"failed_nil: {self.failed_nil!r}")
        if self.set_team not in ("minus", "zero"):
            raise ValueError(f"set_team: {self.set_team!r}")
        if self.bags_limit < 1:
            raise ValueError(f"bags_limit: {self.bags_limit!r}")


DEFAULT_RULES = ReferenceRules()


@dataclass(frozen=True)
class ReferenceTrick:
    """A finished trick: its (seat, card) pairs in the order played, and who won."""

    leader: int
    winner: int
    plays: tuple[tuple[int, int], ...]


def score_team(
    rules: ReferenceRules,
    bids: tuple[int, int],
    won: tuple[int, int],
    bags_before: int,
) -> tuple[int, int]:
    """Return the points that a deal adds to a team's score, and its bags after it."""
    points = 0
    new_bags = 0
    contract = bids[0] + bids[1]  # R4, R11
    towards_contract = 0

    for bid, tricks in zip(bids, won, strict=True):
        if bid > 0:
            towards_contract += tricks  # R11
        elif tricks == 0:
            points += rules.nil_points  # R5, R14: nil made
        else:
            points -= rules.nil_points  # R14: nil failed
            if rules.failed_nil == "bags":
                new_bags += tricks  # R15, R18
            elif rules.failed_nil == "partner":
                towards_contract += tricks  # switch: they help the contract
            # switch "nothing": they count for nothing at all

    if towards_contract >= contract:  # R18: always so for a contract of 0
        points += rules.trick_points * contract  # R12
        new_bags += towards_contract - contract  # R12
    elif rules.set_team == "minus":
        points -= rules.trick_points * contract  # R13: and no bags from it
    # switch set_team "zero": a set team scores 0 for its contract

    points += rules.bag_points * new_bags  # R16
    bags_after = bags_before + new_bags  # R16
    if rules.bags == "carry":
        while bags_after >= rules.bags_limit:  # R17
            points -= rules.bag_penalty
            bags_after -= rules.bags_limit
    elif bags_after >= rules.bags_limit:  # switch: one penalty, all bags leave
        points -= rules.bag_penalty
        bags_after = 0
    return points, bags_after


def winning_team(rules: ReferenceRules, scores: Sequence[int]) -> int | None:
    """Return the team that has won with these scores, or None: the game goes on."""
    reached_target = any(score >= rules.target for score in scores)
    reached_floor = rules.floor is not None and any(
        score <= rules.floor for score in scores
    )
    if not (reached_target or reached_floor):
        return None  # R19
    if scores[0] == scores[1]:
        return None  # R20: another deal
    return 0 if scores[0] > scores[1] else 1  # R19


class ReferenceGame:
    """A whole game, deal after deal, for cards that the caller hands out.

    ``turn`` is None once the deal is over. ``broken`` turns true as soon as a spade
    is played. ``deal_scores`` keeps the points of the last finished deal.
    """

    def __init__(
        self,
        hands: Sequence[Iterable[int]],
        dealer: int,
        rules: ReferenceRules = DEFAULT_RULES,
        scores: Sequence[int] = (0, 0),
        bags: Sequence[int] = (0, 0),
    ) -> None:
        """Start a game at these scores and bags with its first deal."""
        if dealer not in range(4):
            raise ValueError(f"no such dealer: {dealer!r}")
        if len(scores) != 2 or len(bags) != 2:
            raise ValueError("scores and bags are one number for each of two teams")
        if winning_team(rules, scores) is not None:
            raise ValueError(f"this game is finished: {tuple(scores)}")  # R3
        if any(count not in range(rules.bags_limit) for count in bags):
            raise ValueError(f"no such bag counts: {tuple(bags)}")  # R3
        self.rules = rules
        self.scores = list(scores)
        self.bags = list(bags)
        self.deal_scores = [0, 0]
        self.winner: int | None = None
        self._start_deal(hands, dealer)

    def _start_deal(self, hands: Sequence[Iterable[int]], dealer: int) -> None:
        """Lay the table for a deal: new hands, no bids, no tricks."""
        dealt = [list(hand) for hand in hands]
        if [len(hand) for hand in dealt] != [13, 13, 13, 13]:
            raise ValueError("a deal is four hands of 13 cards")  # R2
        if sorted(card for hand in dealt for card in hand) != list(range(52)):
            raise ValueError("a deal has each of the 52 cards once")  # R2
        self.hands = [set(hand) for hand in dealt]
        self.dealer = dealer
        self.turn: int | None = next_seat(dealer)  # R4
        self.bids: list[int | None] = [None, None, None, None]
        self.tricks_won = [0, 0, 0, 0]
        self.trick: list[tuple[int, int]] = []
        self.tricks: list[ReferenceTrick] = []
        self.broken = False  # R9: the flag is reset at each deal
        self.voids: list[set[int]] = [set(), set(), set(), set()]
        self.deal_over = False

    def legal_actions(self) -> list[int]:
        """Return the actions of the seat to move, in order; none after the deal."""
        if self.turn is None:
            return []  # R10
        if None in self.bids:
            return list(ALL_BIDS)  # R4: nothing caps the sum; R5: before any trick
        hand = self.hands[self.turn]
        if self.trick:
            suit_led = suit_of(self.trick[0][1])
            following = {card for card in hand if suit_of(card) == suit_led}
            return sorted(following or hand)  # R7
        if self.broken:
            return sorted(hand)  # R9
        side_cards = {card for card in hand if suit_of(card) != SPADES}
        return sorted(side_cards or hand)  # R9: nothing but spades may lead one

    def best_so_far(self) -> tuple[int, int] | None:
        """Return the (seat, card) that is winning the trick on the table, if any."""
        if not self.trick:
            return None
        spades = [play for play in self.trick if suit_of(play[1]) == SPADES]
        suit_led = suit_of(self.trick[0][1])
        followers = [play for play in self.trick if suit_of(play[1]) == suit_led]
        return max(spades or followers, key=lambda play: rank_of(play[1]))  # R8

    def apply(self, action: int) -> None:
        """Carry out an action of the seat to move."""
        if action not in self.legal_actions():
            raise ValueError(f"illegal action {action!r} for seat {self.turn}")
        if None in self.bids:
            self._bid(action - FIRST_BID)
        else:
            self._play(action)

    def _bid(self, bid: int) -> None:
        """Write down the bid of the seat to move."""
        assert self.turn is not None
        self.bids[self.turn] = bid
        # R4: each seat once, clockwise. After the fourth bid the next seat is again
        # the one left of the dealer, and it leads the first trick (R6).
        self.turn = next_seat(self.turn)

    def _play(self, card: int) -> None:
        """Put a card of the seat to move on the table."""
        assert self.turn is not None
        seat, suit = self.turn, suit_of(card)
        if self.trick:
            suit_led = suit_of(self.trick[0][1])
            if suit != suit_led:
                self.voids[seat].add(suit_led)  # R7: it could not follow
        elif suit == SPADES and not self.broken:
            self.voids[seat] |= SIDE_SUITS  # R9: it holds nothing but spades
        if suit == SPADES:
            self.broken = True  # R9: also when led from an all-spade hand
        self.hands[seat].remove(card)
        self.trick.append((seat, card))
        if len(self.trick) < 4:
            self.turn = next_seat(seat)  # R1
        else:
            self._finish_trick()

    def _finish_trick(self) -> None:
        """Give the full trick to its winner, who leads next."""
        best = self.best_so_far()
        assert best is not None
        winner = best[0]
        leader = self.trick[0][0]
        self.tricks.append(ReferenceTrick(leader, winner, tuple(self.trick)))
        self.tricks_won[winner] += 1
        self.trick = []
        self.turn = winner  # R6
        if len(self.tricks) == 13:
            self._finish_deal()  # R10

    def _finish_deal(self) -> None:
        """Score the deal for both teams and see whether the game is over."""
        self.turn = None
        self.deal_over = True
        for team in (0, 1):
            first, second = (seat for seat in range(4) if team_of(seat) == team)  # R1
            first_bid, second_bid = self.bids[first], self.bids[second]
            assert first_bid is not None
            assert second_bid is not None
            points, bags = score_team(
                self.rules,
                (first_bid, second_bid),
                (self.tricks_won[first], self.tricks_won[second]),
                self.bags[team],
            )
            self.deal_scores[team] = points
            self.scores[team] += points
            self.bags[team] = bags
        self.winner = winning_team(self.rules, self.scores)  # R19, R20

    def next_deal(self, hands: Sequence[Iterable[int]]) -> None:
        """Start the next deal of a game that goes on."""
        if not self.deal_over:
            raise ValueError("this deal is not over")
        if self.winner is not None:
            raise ValueError("this game is over")  # R19
        self._start_deal(hands, next_seat(self.dealer))  # R3: also an extra deal
