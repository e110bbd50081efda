"""The rules, line by line: each test names the line of the README that it checks."""

import csv
import itertools
import random
from pathlib import Path

import numpy as np
import pytest
from reference import score_team
from reference import winning_team as reference_winning_team
from replay import (
    members,
    new_game,
    random_deal,
    random_rules,
    reference_rules_of,
    view_of,
)

from spades_env import GAME, GAME_OVER, RULES, STANDARD, VIEW, Rules
from spades_env.cards import card_text, parse_card
from spades_env.game import (
    BID,
    BIDDING,
    DEAL_OVER,
    NUM_ACTIONS,
    PLAY,
    apply,
    deal_value,
    is_legal,
    legal_cards,
    next_deal,
    phase_of,
    score_deal,
    shown_void,
    start_deal,
    start_game,
)
from spades_env.notation import parse_deal
from spades_env.rules import NO_FLOOR
from spades_env.scoring import count_bags, score_bids, winning_team

VECTORS = Path(__file__).resolve().parents[1] / "vectors"
CLUBS, DIAMONDS, HEARTS, SPADES = range(4)


def rows(name):
    """Rows of a vector file, without its comment lines."""
    with open(VECTORS / name, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(line for line in file if not line.startswith("#")))


class Table:
    """One game of the engine, played with the texts of cards."""

    def __init__(self, hands, dealer=3, score=(0, 0), bags=(0, 0), rules=STANDARD):
        cards = [[parse_card(card) for card in hand] for hand in hands]
        assert sorted(card for hand in cards for card in hand) == list(range(52))
        self.games = new_game(cards, dealer, score, bags)
        self.game = self.games[0]
        self.rules = rules.array[0]

    def bid(self, *bids):
        """Bids in the order in which they are made."""
        for bid in bids:
            assert is_legal(self.game, BID + bid)
            apply(self.game, self.rules, BID + bid)
        return self

    def play(self, cards):
        """Cards in the order in which they are played, with spaces between them."""
        for card in map(parse_card, cards.split()):
            assert is_legal(self.game, card), card_text(card)
            apply(self.game, self.rules, card)
        return self

    def legal(self):
        """Texts of the cards that the seat to act may play."""
        return [card_text(card) for card in members(legal_cards(self.game))]

    def play_out(self):
        """Play the lowest legal card until the deal is over."""
        while phase_of(self.game) == PLAY:
            apply(self.game, self.rules, members(legal_cards(self.game))[0])
        return self


def suit(letter):
    """All cards of a suit."""
    return [rank + letter for rank in "23456789TJQKA"]


def one_suit_each(*exchanges):
    """Seat 0 all clubs, 1 diamonds, 2 hearts, 3 spades; then cards change places."""
    hands = [suit(letter) for letter in "CDHS"]
    for exchange in exchanges:
        a, b = exchange.split()
        seat_a, seat_b = (
            [card in hand for hand in hands].index(True) for card in (a, b)
        )
        hands[seat_a][hands[seat_a].index(a)] = b
        hands[seat_b][hands[seat_b].index(b)] = a
    return hands


def scored(bids, won, score=(0, 0), bags=(0, 0), rules=STANDARD):
    """The game record after a deal with these bids and tricks of the four seats."""
    games = np.zeros(1, GAME)
    game = games[0]
    game.bid, game.won, game.score, game.bags = bids, won, score, bags
    game.winner = -1
    score_deal(game, rules.array[0])
    return game


def started(seed):
    """A new game."""
    games = np.zeros(1, GAME)
    start_game(games[0], np.uint64(seed))
    return games


# Table.


def test_r1_teams_and_clockwise_play():
    """R1: seats 0 and 2 against 1 and 3; play runs 0, 1, 2, 3."""
    table = Table(one_suit_each()).bid(2, 3, 4, 5)
    order = []
    for card in ("AC", "2D", "2H", "2S"):
        order.append(int(table.game.turn))
        table.play(card)
    assert order == [0, 1, 2, 3]
    game = scored((2, 3, 4, 5), (6, 0, 0, 7))
    assert game.score.tolist() == [60, -80]  # 2 + 4 by seats 0, 2; 3 + 5 by 1, 3


@pytest.mark.parametrize("seed", range(50))
def test_r2_deal(seed):
    """R2: 52 cards, 13 to each seat."""
    hands = [members(hand) for hand in started(seed)[0].hand]
    assert [len(hand) for hand in hands] == [13] * 4
    assert sorted(card for hand in hands for card in hand) == list(range(52))


def test_r2_ranks():
    """R2: of two cards in a suit the later of 2 3 4 5 6 7 8 9 T J Q K A wins."""
    for low, high in itertools.combinations("23456789TJQKA", 2):
        hands = one_suit_each(f"{high}C 2D") if high != "2" else one_suit_each()
        table = Table(hands).bid(1, 1, 1, 1).play(f"{low}C {high}C")
        assert table.game.best_seat == 1
        hands = one_suit_each(f"{low}C 2D")
        table = Table(hands).bid(1, 1, 1, 1).play(f"{high}C {low}C")
        assert table.game.best_seat == 0


def test_r2_spades_are_trump():
    """R2, R8: the 2 of spades beats the ace of the suit led."""
    table = Table(one_suit_each()).bid(1, 1, 1, 1).play("AC AD AH 2S")
    assert table.game.won.tolist() == [0, 0, 0, 1]


def test_r3_first_dealer_is_drawn():
    """R3: a function of the seed, and any seat can be drawn."""
    dealers = [int(started(seed)[0].dealer) for seed in range(100)]
    assert set(dealers) == {0, 1, 2, 3}
    assert dealers == [int(started(seed)[0].dealer) for seed in range(100)]


def test_r3_deal_passes_clockwise():
    """R3: one seat after every deal."""
    games = started(1)
    dealer = int(games[0].dealer)
    for k in range(1, 9):
        next_deal(games[0])
        assert games[0].dealer == (dealer + k) % 4
        assert games[0].deal == k


def test_r3_deal_passes_after_an_extra_deal():
    """R3, R20: equal scores bring an extra deal, and the deal passes before it."""
    table = Table(one_suit_each(), score=(330, 300)).bid(0, 0, 0, 13).play_out()
    assert table.game.score.tolist() == [530, 530]
    assert phase_of(table.game) == DEAL_OVER
    next_deal(table.game)
    assert table.game.dealer == 0
    assert table.game.turn == 1
    assert table.game.score.tolist() == [530, 530]


@pytest.mark.parametrize(
    ("part", "wrong"),
    [
        ("score=0:0", "score=500:0"),
        ("score=0:0", "score=0:-200"),
        ("bags=0:0", "bags=10:0"),
        ("bags=0:0", "bags=0:-1"),
    ],
)
def test_r3_start_at_given_scores(part, wrong):
    """R3: a start at the scores of a finished game, or at other bags, is refused."""
    text = (
        "seed=7 deal=0 dealer=2 score=0:0 bags=0:0 hands=JT63.A932.73.A92"
        " Q98742.K54.A95.Q 5.T87.KQJ86.J764 AK.QJ6.T42.KT853"
    )
    assert len(parse_deal(text)[0]) == 1
    assert len(parse_deal(text.replace("score=0:0", "score=530:530"))[0]) == 1
    with pytest.raises(ValueError, match=wrong.split("=")[0]):
        parse_deal(text.replace(part, wrong))


# Bidding.


@pytest.mark.parametrize("dealer", range(4))
def test_r4_bidding(dealer):
    """R4: from the dealer's left, once each, clockwise; 0 to 13 with no cap."""
    table = Table(one_suit_each(), dealer)
    for k in range(4):
        assert table.game.turn == (dealer + 1 + k) % 4
        legal = [a for a in range(-2, NUM_ACTIONS + 2) if is_legal(table.game, a)]
        assert legal == list(range(52, 66))
        table.bid(13)
    assert table.game.bid.tolist() == [13] * 4
    assert phase_of(table.game) == PLAY


def test_r5_nil_and_locked_bids():
    """R5: a bid of 0 is nil; no bid is legal once the play has begun."""
    table = Table(one_suit_each()).bid(0, 0, 0, 13)
    before = table.game.bid.tolist()
    assert not any(is_legal(table.game, action) for action in range(52, 66))
    table.play_out()
    assert table.game.bid.tolist() == before == [0, 0, 0, 13]
    assert table.game.deal_points.tolist() == [200, 230]  # three nils, and 13 made


# Play.


def test_r6_leads():
    """R6: left of the dealer leads the first trick, then the winner of a trick."""
    table = Table(one_suit_each("AC 2D"), dealer=3).bid(1, 1, 1, 1)
    assert table.game.turn == 0
    table.play("KC AC 2H")
    assert table.game.turn == 3
    table.play("3S")
    assert table.game.turn == 3
    assert table.game.leader[:3].tolist() == [0, 3, -1]


@pytest.mark.parametrize("dealer", range(4))
def test_r6_first_lead(dealer):
    """R6: whoever bids first leads first, whatever the bids are."""
    table = Table(one_suit_each(), dealer).bid(0, 13, 4, 2)
    assert table.game.turn == (dealer + 1) % 4


def test_r7_follow_suit():
    """R7: follow if you can; else any card, spades too, also on the first trick."""
    table = Table(one_suit_each("AC 2D", "KC 3D", "3H 2S")).bid(1, 1, 1, 1)
    table.play("QC")
    assert table.legal() == ["KC", "AC"]
    table.play("KC")
    hand = sorted(["2S", *(card for card in suit("H") if card != "3H")])
    assert sorted(table.legal()) == hand  # no club: everything, the spade too
    assert shown_void(table.game.voids, 2, CLUBS) == 0
    table.play("2S")
    assert shown_void(table.game.voids, 2, CLUBS) == 1
    assert members(table.game.voids) == [4 * 2 + CLUBS]
    assert len(table.legal()) == 13  # seat 3: spades and a heart, no club


@pytest.mark.parametrize(
    ("exchanges", "trick", "winner"),
    [
        ((), "5C 9D AH 2S", 3),  # any spade before the suit led
        (("2H AS",), "5C 9D AS KS", 2),  # the higher of two spades
        (("2H AS", "3D KS"), "5C KS AS QS", 2),
        (("2S KC", "3D QC"), "5C QC AH KC", 3),  # the highest of the suit led
        (("2S KC", "3D QC"), "AC QC AH KC", 0),
        (("2S 9C",), "TC AD AH 9C", 0),  # other suits never win
    ],
)
def test_r8_trick_winner(exchanges, trick, winner):
    """R8: the highest spade, or the highest card of the suit led."""
    table = Table(one_suit_each(*exchanges)).bid(1, 1, 1, 1).play(trick)
    expected = [0] * 4
    expected[winner] = 1
    assert table.game.won.tolist() == expected
    assert table.game.turn == winner


def test_r9_spades_must_be_broken():
    """R9: no spade is led before one was played, unless the hand is all spades."""
    table = Table(one_suit_each("2C 2S"), dealer=2).bid(1, 1, 1, 1)
    assert table.game.turn == 3
    assert table.legal() == ["2C"]  # twelve spades wait
    table.play("2C 3C 3D 3H")
    assert table.game.turn == 0
    assert not table.game.broken
    assert "2S" not in table.legal()
    assert len(table.legal()) == 11
    table.play("4C 4D 4H 3S")
    assert table.game.broken
    table.play("4S")  # now a spade may be led
    assert table.legal() == ["2S"]


def test_r9_spade_lead_among_other_cards():
    """R9: once broken, a hand that holds other cards may lead a spade."""
    hands = one_suit_each("2C 2S", "3C 3S", "AC 2D")
    table = Table(hands).bid(1, 1, 1, 1).play("4C AC 2H 2C")
    assert table.game.turn == 1
    table.play("3D 3H 4S 2D")
    assert table.game.broken
    assert table.game.turn == 3
    assert table.legal() == ["3C", *(rank + "S" for rank in "56789TJQKA")]


def test_r9_all_spade_hand_leads_and_breaks():
    """R9: a hand of nothing but spades leads one, and that breaks them."""
    table = Table(one_suit_each(), dealer=2).bid(1, 1, 1, 1)
    assert table.legal() == suit("S")
    table.play("2S")
    assert table.game.broken
    assert members(table.game.voids) == [12 + CLUBS, 12 + DIAMONDS, 12 + HEARTS]


def test_r9_flag_is_reset():
    """R9: the next deal begins with spades unbroken."""
    table = Table(one_suit_each()).bid(1, 1, 1, 1).play_out()
    assert table.game.broken
    next_deal(table.game)
    assert not table.game.broken
    assert table.game.voids == 0


def test_r10_thirteen_tricks():
    """R10: the deal is over after 13 tricks, and nobody is to act."""
    table = Table(one_suit_each()).bid(1, 1, 1, 1)
    for _ in range(52):
        assert phase_of(table.game) == PLAY
        table.play(table.legal()[0])
    assert phase_of(table.game) == DEAL_OVER
    assert sum(table.game.won.tolist()) == 13
    assert table.game.turn == -1
    assert legal_cards(table.game) == 0
    assert not any(is_legal(table.game, action) for action in range(NUM_ACTIONS))


# Scoring.


@pytest.mark.parametrize("row", rows("scoring.csv"), ids=lambda row: row["name"])
def test_scoring_vectors(row):
    """R11 to R18: each case, for either team and either partner."""
    value = {key: int(text) for key, text in row.items() if key != "name"}
    bids = value["bid_a"], value["bid_b"]
    won = value["won_a"], value["won_b"]
    rules = STANDARD.array[0]
    for order in (1, -1):
        points, taken = score_bids(rules, *bids[::order], *won[::order])
        bags, penalties = count_bags(rules, value["bags_before"], taken)
        score = value["score_before"] + points + taken - 100 * penalties
        assert (score, bags) == (value["score_after"], value["bags_after"])
        for team in range(2):
            all_bids, all_won = [1] * 4, [0] * 4
            all_bids[team::2] = bids[::order]
            all_won[team::2] = won[::order]
            before = [0, 0], [0, 0]
            before[0][team] = value["score_before"]
            before[1][team] = value["bags_before"]
            game = scored(all_bids, all_won, *before)
            assert game.score[team] == value["score_after"]
            assert game.bags[team] == value["bags_after"]
            gained = value["score_after"] - value["score_before"]
            assert game.deal_points[team] == gained
            assert game.deal_bags[team] == taken
            assert game.deal_penalties[team] == penalties


@pytest.mark.parametrize(
    "row", rows("game_end.csv"), ids=lambda row: f"{row['score_0']}:{row['score_1']}"
)
def test_game_end_vectors(row):
    """R19, R20: each case, for either team."""
    scores = int(row["score_0"]), int(row["score_1"])
    winner = int(row["winner"]) if row["winner"] else -1
    assert (winner >= 0) == (row["over"] == "1")
    rules = STANDARD.array[0]
    assert winning_team(rules, *scores) == winner
    assert winning_team(rules, *scores[::-1]) == (1 - winner if winner >= 0 else -1)


def test_vector_files_are_whole():
    """The cases of the vector files are all there."""
    assert len(rows("scoring.csv")) == 21
    assert len(rows("game_end.csv")) == 10


@pytest.mark.parametrize(
    ("rule", "bids", "won", "bags", "points", "bags_after"),
    [
        ("R11 sum of both bids", (3, 2), (0, 5), 0, 50, 0),
        ("R11 nil's tricks do not count", (0, 4), (1, 3), 0, -140 + 1, 1),
        ("R12 exactly", (3, 2), (3, 2), 0, 50, 0),
        ("R12 each trick over is a bag", (3, 2), (5, 3), 0, 50 + 3, 3),
        ("R13 no bags", (3, 2), (4, 0), 4, -50, 4),
        ("R14 made", (0, 4), (0, 4), 0, 140, 0),
        ("R14 failed", (4, 0), (4, 1), 0, 40 - 100 + 1, 1),
        ("R14 each by itself", (0, 0), (0, 2), 0, 100 - 100 + 2, 2),
        ("R15 contract made", (0, 3), (2, 4), 0, 30 - 100 + 3, 3),
        ("R15 contract failed", (0, 5), (2, 4), 0, -50 - 100 + 2, 2),
        ("R16 a point and a bag", (1, 1), (2, 1), 5, 20 + 1, 6),
        ("R17 reaching ten", (1, 1), (2, 1), 9, 20 + 1 - 100, 0),
        ("R17 the rest carries", (1, 1), (3, 3), 9, 20 + 4 - 100, 3),
        ("R17 twenty cost 200", (1, 0), (7, 6), 9, 10 - 100 + 12 - 200, 1),
        ("R18 both made", (0, 0), (0, 0), 0, 200, 0),
        ("R18 both failed", (0, 0), (3, 4), 0, -200 + 7, 7),
    ],
    ids=lambda value: value if isinstance(value, str) else None,
)
def test_scoring_of_a_deal(rule, bids, won, bags, points, bags_after):
    """R11 to R18: one case by hand for every clause."""
    game = scored((bids[0], 1, bids[1], 1), (won[0], 0, won[1], 0), bags=(bags, 0))
    assert game.score[0] == points
    assert game.bags[0] == bags_after


def test_r17_count_is_its_own_number():
    """R17: the count is never read off the score, which may be below zero."""
    game = scored((3, 1, 2, 1), (4, 1, 4, 4), score=(-95, 109), bags=(2, 0))
    assert game.score.tolist() == [-95 + 53, 109 + 23]
    assert game.bags.tolist() == [5, 3]


def test_r17_bags_are_the_score_modulo_ten():
    """R16, R17: in a game from 0:0 by the standard rules, also below zero."""
    rng = random.Random(3)
    game = np.zeros(1, GAME)[0]
    for _ in range(500):
        won = np.bincount([rng.randrange(4) for _ in range(13)], minlength=4)
        game.bid, game.won = [rng.randrange(6) for _ in range(4)], won
        score_deal(game, STANDARD.array[0])
        assert game.bags.tolist() == [score % 10 for score in game.score.tolist()]


def test_deal_value_charges_each_bag():
    """R16, R17: a bag costs 9 in the value of a deal, whatever the count was."""
    for bags in range(10):
        game = scored((3, 4, 2, 0), (4, 5, 2, 2), bags=(bags, bags))
        assert deal_value(game, STANDARD.array[0], 0) == 50 - 9
        assert deal_value(game, STANDARD.array[0], 1) == 40 - 100 - 9 * 3
    rules = Rules(bag_points=2, bags_limit=5, bag_penalty=60)
    game = scored((3, 4, 2, 0), (4, 5, 2, 2), bags=(4, 1), rules=rules)
    assert deal_value(game, rules.array[0], 0) == 50 + 2 - 12


# End of a game.


def test_r19_game_over():
    """R19: the deal that brings 500 ends the game, and no card may be played on."""
    table = Table(one_suit_each(), score=(0, 300)).bid(1, 0, 1, 13).play_out()
    assert table.game.score.tolist() == [-20, 530]
    assert table.game.winner == 1
    assert phase_of(table.game) == GAME_OVER


def test_r19_higher_score_wins_whatever_ended_it():
    """R19: a team that falls to -200 loses even if the other did not reach 500."""
    game = scored((5, 1, 5, 1), (0, 7, 0, 6), score=(-110, -150), bags=(0, 0))
    assert game.score.tolist() == [-210, -119 - 100]  # both fell, by different amounts
    assert game.winner == 0


def test_r20_asked_again_from_the_beginning():
    """R20: after 505:505 an extra deal that leaves 445:425 lets the game go on."""
    game = scored((3, 4, 3, 4), (5, 4, 0, 3), score=(505, 505), bags=(5, 5))
    assert game.score.tolist() == [505 - 60, 505 - 80]
    assert game.winner == -1


# The switches.


@pytest.mark.parametrize(
    "changes",
    [
        {"bags_carried": False},
        {"failed_nil": "partner"},
        {"failed_nil": "nothing"},
        {"set_team": "zero"},
        {"trick_points": 7},
        {"nil_points": 50},
        {"bag_points": -3},
        {"bag_points": 0},
        {"bags_limit": 5},
        {"bags_limit": 1},
        {"bag_penalty": 60},
        {"bags_carried": False, "failed_nil": "partner", "set_team": "zero"},
        {"failed_nil": "partner", "set_team": "zero", "bags_limit": 7},
    ],
    ids=str,
)
def test_switches_of_scoring(changes):
    """R11 to R18 with a switch set: every possible deal of a team, by the reference."""
    rules = Rules(**changes)
    record = rules.array[0]
    reference = reference_rules_of(rules)
    differs = False
    for bid_a, bid_b in itertools.product((0, 1, 2, 4, 6, 13), repeat=2):
        for won_a, won_b in itertools.product(range(14), repeat=2):
            if won_a + won_b > 13:
                continue
            before = (3 * bid_a + won_a) % rules.bags_limit
            points, taken = score_bids(record, bid_a, bid_b, won_a, won_b)
            bags, penalties = count_bags(record, before, taken)
            points += rules.bag_points * taken - rules.bag_penalty * penalties
            expected = score_team(reference, (bid_a, bid_b), (won_a, won_b), before)
            assert (points, bags) == expected
            differs |= expected != score_team(
                reference_rules_of(STANDARD), (bid_a, bid_b), (won_a, won_b), before
            )
    assert differs  # the switch does something


@pytest.mark.parametrize(
    "changes",
    [{}, {"floor": None}, {"floor": -100}, {"target": 250}, {"target": 1, "floor": -1}],
    ids=str,
)
def test_switches_of_the_end(changes):
    """R19, R20 with other limits, or no floor: every pair of scores nearby."""
    rules = Rules(**changes)
    values = [-1000, -201, -200, -199, -101, -100, -99, -1, 0, 1]
    values += [249, 250, 251, 499, 500, 501, 1000]
    for scores in itertools.product(values, repeat=2):
        expected = reference_winning_team(reference_rules_of(rules), scores)
        found = winning_team(rules.array[0], *scores)
        assert found == (-1 if expected is None else expected)


# The Rules object.


def test_defaults():
    """R11 to R19: the numbers of the standard game."""
    rules = Rules()
    assert rules == STANDARD
    assert (rules.target, rules.floor) == (500, -200)
    assert (rules.trick_points, rules.nil_points, rules.bag_points) == (10, 100, 1)
    assert (rules.bags_limit, rules.bag_penalty, rules.bags_carried) == (10, 100, True)
    assert (rules.failed_nil, rules.set_team) == ("bags", "minus")
    assert rules.changes() == {}


@pytest.mark.parametrize(
    ("name", "value", "allowed"),
    [
        ("target", 0, "1 to 1000000"),
        ("target", 2_000_000, "1 to 1000000"),
        ("floor", 0, "-1000000 to -1"),
        ("floor", 200, "-1000000 to -1"),
        ("trick_points", -1, "0 to 10000"),
        ("nil_points", -100, "0 to 10000"),
        ("bag_points", 10_001, "-10000 to 10000"),
        ("bags_limit", 0, "1 to 1000"),
        ("bag_penalty", -100, "0 to 10000"),
        ("failed_nil", "none", "bags, partner, nothing"),
        ("failed_nil", None, "bags, partner, nothing"),
        ("set_team", "plus", "minus, zero"),
        ("jokers", True, "only False"),
        ("deuces_high", True, "only False"),
        ("suicide", True, "only False"),
        ("blind_nil", True, "only False"),
        ("whiz", True, "only False"),
        ("mirror", True, "only False"),
    ],
)
def test_values_that_are_refused(name, value, allowed):
    """The error names the field, the value and what is allowed."""
    with pytest.raises(ValueError) as error:
        Rules(**{name: value})
    message = str(error.value)
    assert f"Rules.{name} " in message
    assert allowed in message
    assert str(value) in message or value is True


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("target", "500"),
        ("target", 500.0),
        ("target", None),
        ("target", True),
        ("floor", "none"),
        ("bags_carried", 1),
        ("jokers", "no"),
    ],
)
def test_types_that_are_refused(name, value):
    """The error names the field and the value."""
    with pytest.raises(TypeError, match=rf"Rules\.{name} must be .*{value!r}"):
        Rules(**{name: value})


def test_unknown_rule_is_refused():
    """A switch that does not exist is an error, never ignored."""
    with pytest.raises(TypeError, match="no_such_rule"):
        Rules(no_such_rule=True)


def test_rules_record():
    """The record that compiled functions read has every working value."""
    rules = Rules(floor=None, failed_nil="nothing", set_team="zero", bags_carried=False)
    record = rules.array[0]
    assert rules.array.dtype == RULES
    assert record.target == 500
    assert record.floor == NO_FLOOR
    assert (record.failed_nil, record.set_team, record.bags_carried) == (2, 1, 0)
    with pytest.raises(ValueError, match="read-only"):
        rules.array["target"] = 3


def test_rules_id():
    """Equal rules have the same id, and every change gives another."""
    assert Rules().rules_id == STANDARD.rules_id == Rules(target=np.int64(500)).rules_id
    variants = [{"target": 250}, {"floor": None}, {"bags_carried": False}]
    variants += [{"failed_nil": "partner"}, {"set_team": "zero"}, {"bag_points": 0}]
    ids = {Rules(**changes).rules_id for changes in variants}
    assert len(ids | {STANDARD.rules_id}) == 7


# The AI players.


def test_a1_view_has_no_place_for_hidden_cards():
    """A1: the fields of a View are the viewer's hand and public facts only."""
    public = {"unseen", "played", "table", "voids", "score", "bags", "deal", "plays"}
    public |= {"leader", "bid", "won", "dealer", "turn", "phase", "step", "lead_seat"}
    public |= {"led_suit", "best_card", "best_seat", "broken", *RULES.names}
    assert set(VIEW.names) == public | {"hand", "legal"}
    assert VIEW["hand"].shape == VIEW["unseen"].shape == ()  # one hand, not four


def test_a1_view_holds_nothing_hidden():
    """A1: what the others hold, in whatever order, changes no byte of a View.

    Neither do the seed, from which the hidden cards could be computed, and the
    positions that only a finished deal has.
    """
    rng = random.Random(4)
    for _ in range(30):
        rules = random_rules(rng)
        games, actions = random_deal(rng, rules)
        for action in actions[: rng.randrange(57)]:
            apply(games[0], rules.array[0], action)
        for seat in range(4):
            before = view_of(games, rules, seat).tobytes()
            others = [other for other in range(4) if other != seat]
            hidden = members(sum(games[0].hand[other] for other in others))
            rng.shuffle(hidden)
            changed = np.zeros(1, GAME)
            changed[0] = games[0]
            for other in others:
                size = len(members(games[0].hand[other]))
                changed[0].hand[other] = sum(1 << card for card in hidden[:size])
                del hidden[:size]
            changed[0].seed = rng.getrandbits(64)
            assert view_of(changed, rules, seat).tobytes() == before


def test_phases_of_a_deal():
    """BIDDING for 4 decisions, PLAY for 52, then DEAL_OVER until the next deal."""
    table = Table(one_suit_each())
    phases = []
    while phase_of(table.game) < DEAL_OVER:
        phases.append(phase_of(table.game))
        if phases[-1] == BIDDING:
            table.bid(3)
        else:
            table.play(table.legal()[0])
    assert phases == [BIDDING] * 4 + [PLAY] * 52
    start_deal(table.game)
    assert phase_of(table.game) == BIDDING
