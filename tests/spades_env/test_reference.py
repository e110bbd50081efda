"""Checks of the reference itself: the two vector files and hand-thought cases."""

import csv
import random
from pathlib import Path

import pytest
from reference import (
    CLUBS,
    DIAMONDS,
    HEARTS,
    SPADES,
    ReferenceGame,
    ReferenceRules,
    score_team,
    winning_team,
)

VECTORS = Path(__file__).resolve().parents[1] / "vectors"
DEFAULTS = ReferenceRules()


def rows(name):
    """Read a vector file, without its comment line."""
    with open(VECTORS / name, encoding="utf-8", newline="") as file:
        lines = [line for line in file if not line.startswith("#")]
    return list(csv.DictReader(lines))


def suit(number):
    """All 13 cards of a suit, from the 2 to the ace."""
    return list(range(number * 13, number * 13 + 13))


def one_suit_each():
    """Seat 0 holds all clubs, 1 all diamonds, 2 all hearts, 3 all spades."""
    return [suit(CLUBS), suit(DIAMONDS), suit(HEARTS), suit(SPADES)]


def swap(hands, *pairs):
    """Exchange cards between hands, each pair being two cards."""
    hands = [set(hand) for hand in hands]
    for a, b in pairs:
        holder_a = next(hand for hand in hands if a in hand)
        holder_b = next(hand for hand in hands if b in hand)
        holder_a.remove(a)
        holder_b.remove(b)
        holder_a.add(b)
        holder_b.add(a)
    return hands


def start(hands, dealer=3, bids=(1, 1, 1, 1), **kwargs):
    """Start a game and make the bids, which are given by seat."""
    game = ReferenceGame(hands, dealer, **kwargs)
    while None in game.bids:
        game.apply(52 + bids[game.turn])
    return game


def play_out(game, choose=lambda actions: actions[0]):
    """Play the deal to its end."""
    while not game.deal_over:
        game.apply(choose(game.legal_actions()))


# The vector files.


@pytest.mark.parametrize("row", rows("scoring.csv"), ids=lambda row: row["name"])
def test_scoring_vectors(row):
    """R11 to R18, with either partner named first."""
    value = {key: int(text) for key, text in row.items() if key != "name"}
    bids = value["bid_a"], value["bid_b"]
    won = value["won_a"], value["won_b"]
    expected = value["score_after"] - value["score_before"], value["bags_after"]
    before = value["bags_before"]
    assert score_team(DEFAULTS, bids, won, before) == expected
    assert score_team(DEFAULTS, bids[::-1], won[::-1], before) == expected


@pytest.mark.parametrize(
    "row", rows("game_end.csv"), ids=lambda row: f"{row['score_0']}:{row['score_1']}"
)
def test_game_end_vectors(row):
    """R19 and R20, with either team named first."""
    scores = int(row["score_0"]), int(row["score_1"])
    winner = int(row["winner"]) if row["winner"] else None
    assert (winner is not None) == (row["over"] == "1")
    assert winning_team(DEFAULTS, scores) == winner
    mirrored = None if winner is None else 1 - winner
    assert winning_team(DEFAULTS, scores[::-1]) == mirrored


def test_vector_files_are_whole():
    """No row was lost on the way."""
    assert len(rows("scoring.csv")) == 21
    assert len(rows("game_end.csv")) == 10


# The switches and the numbers.


@pytest.mark.parametrize(
    ("changes", "bids", "won", "before", "expected"),
    [
        # bags emptied: 9 + 3 bags, one penalty, and nothing carries over.
        ({"bags": "empty"}, (3, 2), (5, 3), 9, (50 + 3 - 100, 0)),
        ({"bags": "carry"}, (3, 2), (5, 3), 9, (50 + 3 - 100, 2)),
        # 9 + 12 bags: one penalty however far over, where carrying takes two.
        ({"bags": "empty"}, (1, 0), (8, 5), 9, (10 - 100 + 12 - 100, 0)),
        ({"bags": "carry"}, (1, 0), (8, 5), 9, (10 - 100 + 12 - 200, 1)),
        # Exactly at the limit, and one short of it.
        ({"bags": "empty"}, (3, 2), (4, 2), 9, (50 + 1 - 100, 0)),
        ({"bags": "empty"}, (3, 2), (4, 2), 8, (50 + 1, 9)),
        # A failed nil of 2 beside 4 bid and 3 taken: set, or made with one over.
        ({"failed_nil": "bags"}, (0, 4), (2, 3), 0, (-40 - 100 + 2, 2)),
        ({"failed_nil": "partner"}, (0, 4), (2, 3), 0, (40 - 100 + 1, 1)),
        ({"failed_nil": "nothing"}, (0, 4), (2, 3), 0, (-40 - 100, 0)),
        # The same beside 4 bid and 5 taken.
        ({"failed_nil": "bags"}, (0, 4), (2, 5), 0, (40 - 100 + 3, 3)),
        ({"failed_nil": "partner"}, (0, 4), (2, 5), 0, (40 - 100 + 3, 3)),
        ({"failed_nil": "nothing"}, (0, 4), (2, 5), 0, (40 - 100 + 1, 1)),
        # The help is not enough: set, and no bags from it.
        ({"failed_nil": "partner"}, (0, 6), (2, 3), 0, (-60 - 100, 0)),
        # Both partners nil, one failed and both failed.
        ({"failed_nil": "partner"}, (0, 0), (0, 3), 0, (100 - 100 + 3, 3)),
        ({"failed_nil": "nothing"}, (0, 0), (0, 3), 0, (100 - 100, 0)),
        ({"failed_nil": "partner"}, (0, 0), (1, 2), 8, (-200 + 3 - 100, 1)),
        ({"failed_nil": "nothing"}, (0, 0), (1, 2), 8, (-200, 8)),
        # A nil that is made is the same under each of them.
        ({"failed_nil": "partner"}, (0, 4), (0, 5), 0, (40 + 100 + 1, 1)),
        ({"failed_nil": "nothing"}, (0, 4), (0, 5), 0, (40 + 100 + 1, 1)),
        # A set team at 0: no bags from it, but nil and its bags still count.
        ({"set_team": "zero"}, (4, 4), (4, 3), 6, (0, 6)),
        ({"set_team": "zero"}, (4, 4), (4, 5), 6, (80 + 1, 7)),
        ({"set_team": "zero"}, (0, 5), (0, 4), 0, (100, 0)),
        ({"set_team": "zero"}, (0, 5), (2, 4), 0, (-100 + 2, 2)),
        # The numbers.
        ({"trick_points": 7}, (3, 2), (4, 2), 0, (35 + 1, 1)),
        ({"trick_points": 7}, (3, 2), (2, 2), 0, (-35, 0)),
        ({"nil_points": 50}, (0, 2), (0, 2), 0, (50 + 20, 0)),
        ({"nil_points": 50}, (0, 2), (1, 2), 0, (-50 + 20 + 1, 1)),
        ({"bag_points": 0}, (3, 2), (5, 2), 0, (50, 2)),
        ({"bag_points": -3}, (3, 2), (5, 2), 0, (50 - 6, 2)),
        ({"bags_limit": 5, "bag_penalty": 30}, (1, 0), (8, 0), 4, (117 - 60, 1)),
    ],
)
def test_scoring_switches(changes, bids, won, before, expected):
    """R11 to R18 with switches and numbers changed, with either partner first."""
    rules = ReferenceRules(**changes)
    assert score_team(rules, bids, won, before) == expected
    assert score_team(rules, bids[::-1], won[::-1], before) == expected


@pytest.mark.parametrize(
    ("changes", "scores", "winner"),
    [
        ({"floor": None}, (-900, -100), None),
        ({"floor": None}, (-900, 500), 1),
        ({"floor": -100}, (-100, -99), 1),
        ({"target": 250}, (250, 249), 0),
        ({"target": 250}, (249, 249), None),
        ({"target": 250}, (260, 260), None),
    ],
)
def test_game_end_numbers(changes, scores, winner):
    """R19 and R20 with another target and floor."""
    assert winning_team(ReferenceRules(**changes), scores) == winner


@pytest.mark.parametrize(
    "changes",
    [{"bags": "x"}, {"failed_nil": "x"}, {"set_team": "x"}, {"bags_limit": 0}],
)
def test_unknown_settings_are_refused(changes):
    """A setting that does not exist is refused by name."""
    with pytest.raises(ValueError, match=next(iter(changes))):
        ReferenceRules(**changes)


# The play.


def test_bidding_order_and_range():
    """R4, R5, R6: clockwise from the dealer's left, 0 to 13, then that seat leads."""
    game = ReferenceGame(one_suit_each(), dealer=1)
    for seat in (2, 3, 0, 1):
        assert game.turn == seat
        assert game.legal_actions() == list(range(52, 66))
        game.apply(65)
    assert game.bids == [13, 13, 13, 13]
    assert game.turn == 2
    assert game.legal_actions() == suit(HEARTS)


def test_illegal_actions_are_refused():
    """R4, R7: a card before the bids, a bid after them, a card not held."""
    game = ReferenceGame(one_suit_each(), dealer=3)
    with pytest.raises(ValueError):
        game.apply(0)
    game = start(one_suit_each())
    for action in (-1, 13, 52, 66):
        with pytest.raises(ValueError):
            game.apply(action)
    assert game.trick == []


def test_follow_suit_and_winner_leads():
    """R6, R7, R8: follow if you can; high card of the suit led wins and leads."""
    # Seat 1 gets the ace of clubs for the 2 of diamonds.
    game = start(swap(one_suit_each(), (12, 13)))
    assert game.turn == 0
    game.apply(11)
    assert game.legal_actions() == [12]  # the only club that seat 1 has
    game.apply(12)
    assert game.best_so_far() == (1, 12)
    assert game.legal_actions() == suit(HEARTS)  # none to follow with
    game.apply(38)
    assert game.best_so_far() == (1, 12)  # the ace of hearts is off suit
    assert game.legal_actions() == suit(SPADES)  # R7: spades on the first trick
    assert not game.broken
    game.apply(39)
    assert game.broken
    assert game.tricks_won == [0, 0, 0, 1]  # R8: the 2 of spades
    assert game.turn == 3
    assert game.tricks[0].leader == 0
    assert game.tricks[0].winner == 3
    assert game.tricks[0].plays == ((0, 11), (1, 12), (2, 38), (3, 39))
    assert game.voids == [set(), set(), {CLUBS}, {CLUBS}]


def test_highest_spade_wins():
    """R8: of two spades in a trick of clubs the higher wins."""
    game = start(swap(one_suit_each(), (13, 51)))  # seat 1 has the ace of spades
    for card in (0, 51, 26, 50):
        game.apply(card)
    assert game.tricks[0].winner == 1


def test_spades_unbroken_may_not_be_led():
    """R9: no spade to lead while one side card is left, until one was played."""
    hands = swap(one_suit_each(), (0, 39))  # seat 3: the 2 of clubs and 12 spades
    game = start(hands, dealer=2)
    assert game.turn == 3
    assert game.legal_actions() == [0]
    game.apply(0)
    game.apply(12)  # seat 0, whose one spade may not be played: it has clubs
    game.apply(13)
    game.apply(26)
    assert not game.broken
    assert game.turn == 0
    assert game.legal_actions() == list(range(1, 12))
    for card in (1, 14, 27, 40):
        game.apply(card)
    assert game.broken
    assert game.voids == [set(), {CLUBS}, {CLUBS}, {CLUBS}]
    play_out(game)
    assert sum(game.tricks_won) == 13


def test_spade_lead_once_broken():
    """R9: after a spade was played the leader may choose one among other cards."""
    hands = swap(one_suit_each(), (0, 39), (1, 40))  # seat 0 has two low spades
    hands = swap(hands, (12, 13))  # and seat 1 the ace of clubs
    game = start(hands)
    for card in (2, 12, 26, 0):  # seat 3 follows with a club; seat 1 wins
        game.apply(card)
    assert game.turn == 1
    for card in (14, 27, 41, 13):  # seat 3 trumps a diamond
        game.apply(card)
    assert game.broken
    assert game.turn == 3
    assert game.legal_actions() == [1, *range(42, 52)]
    game.apply(51)
    assert game.voids[3] == {DIAMONDS}  # a spade led once broken shows nothing
    assert game.legal_actions() == [39, 40]


def test_all_spade_hand_leads_and_breaks():
    """R9: nothing but spades: leading one breaks them and shows the side suits."""
    game = start(one_suit_each(), dealer=2)
    assert game.legal_actions() == suit(SPADES)
    game.apply(39)
    assert game.broken
    assert game.voids[3] == {CLUBS, DIAMONDS, HEARTS}
    game.apply(0)
    assert game.voids[0] == {SPADES}


def test_deal_is_scored_and_the_deal_passes():
    """R3, R10 to R16: thirteen tricks for seat 3, then a deal of the next dealer."""
    game = start(one_suit_each(), dealer=3, bids=(0, 2, 1, 10), bags=(0, 7))
    with pytest.raises(ValueError):
        game.next_deal(one_suit_each())
    play_out(game)
    assert game.tricks_won == [0, 0, 0, 13]
    assert game.turn is None
    assert game.legal_actions() == []
    with pytest.raises(ValueError):
        game.apply(0)
    assert game.deal_scores == [100 - 10, 120 + 1]
    assert game.scores == [90, 121]
    assert game.bags == [0, 8]
    assert game.winner is None
    game.next_deal(one_suit_each())
    assert game.dealer == 0
    assert game.turn == 1
    assert game.bids == [None] * 4
    assert not game.broken
    assert not game.deal_over
    assert game.tricks == []
    assert game.tricks_won == [0, 0, 0, 0]
    assert game.voids == [set(), set(), set(), set()]
    assert game.scores == [90, 121]


def test_game_over_stops_the_deals():
    """R19: no deal after the one that ended the game."""
    game = start(one_suit_each(), bids=(1, 0, 1, 13), scores=(0, 300))
    play_out(game)
    assert game.scores == [-20, 300 + 130 + 100]
    assert game.winner == 1
    with pytest.raises(ValueError):
        game.next_deal(one_suit_each())


def test_equal_scores_give_an_extra_deal():
    """R3, R20: 530 each is no end; R19 is asked afresh after the extra deal."""
    game = start(one_suit_each(), bids=(0, 0, 0, 13), scores=(330, 300))
    play_out(game)
    assert game.scores == [530, 530]
    assert game.winner is None
    game.next_deal(one_suit_each())
    assert game.dealer == 0
    for bid in (4, 4, 10, 6):  # seats 1, 2, 3, 0; seat 3 takes all 13 tricks
        game.apply(52 + bid)
    play_out(game)
    assert game.scores == [530 - 100, 530 - 140]
    assert game.winner is None
    game.next_deal(one_suit_each())
    assert game.dealer == 1


def test_a_start_at_equal_high_scores_goes_on():
    """R3, R20: 530 each is not a finished game, so one may start there."""
    game = start(one_suit_each(), bids=(1, 0, 1, 13), scores=(530, 530))
    play_out(game)
    assert game.scores == [510, 760]
    assert game.winner == 1


@pytest.mark.parametrize(
    "kwargs",
    [
        {"scores": (500, 0)},
        {"scores": (0, -200)},
        {"bags": (10, 0)},
        {"bags": (0, -1)},
        {"dealer": 4},
        {"hands": [suit(0), suit(0), suit(2), suit(3)]},
        {"hands": [suit(0), suit(1), suit(2)]},
        {"hands": [range(14), range(14, 26), suit(2), suit(3)]},
    ],
)
def test_starts_that_are_refused(kwargs):
    """R2, R3: a finished game, bags outside 0 to 9, no proper deal."""
    with pytest.raises(ValueError):
        ReferenceGame(**{"hands": one_suit_each(), "dealer": 0, **kwargs})


def test_random_games_keep_their_sums():
    """R2, R7, R10: whole random games end, and what is shown void is void."""
    for seed in range(30):
        rng = random.Random(seed)

        def deal(rng=rng):
            cards = rng.sample(range(52), 52)
            return [cards[seat * 13 : seat * 13 + 13] for seat in range(4)]

        game = ReferenceGame(deal(), rng.randrange(4))
        while True:
            while not game.deal_over:
                legal = game.legal_actions()
                if legal[0] >= 52:
                    legal = legal[:6]
                game.apply(rng.choice(legal))
                for seat in range(4):
                    assert not {c // 13 for c in game.hands[seat]} & game.voids[seat]
            assert sum(game.tricks_won) == len(game.tricks) == 13
            played = [card for trick in game.tricks for _, card in trick.plays]
            assert sorted(played) == list(range(52))
            assert all(0 <= count < 10 for count in game.bags)
            if game.winner is not None:
                break
            game.next_deal(deal())
        assert game.scores[game.winner] > game.scores[1 - game.winner]
