"""The observation, against a slow encoder written from the layout's meanings."""

import random

import numpy as np
import pytest
from reference import rank_of, suit_of, team_of
from replay import (
    advance,
    new_game,
    observation_of,
    random_deal,
    random_rules,
    reference_game_of,
)

from spades_env import (
    OBSERVATION_SIZE,
    STANDARD,
    STATE_SIZE,
    Rules,
    observation_id,
    observation_layout,
    state_layout,
)
from spades_env.observation import layout_table, scale_of, to_int8


def one_hot(place, size):
    """A one at `place`; all zero where it is None."""
    return [int(k == place) for k in range(size)]


def cards_as_flags(cards):
    """52 flags."""
    return [int(card in cards) for card in range(52)]


def clip(value):
    """What fits an int8."""
    return sorted((-128, value, 127))[1]


def up(value):
    """Tens of points, rounded up."""
    return -(-value // 10)


def slow_fields(reference, rules, seat):
    """Each field of the state by name, read off the reference."""
    order = [(seat + k) % 4 for k in range(4)]
    teams = [team_of(seat), 1 - team_of(seat)]
    partners = {team: (team, team + 2) for team in range(2)}
    plays = [play for trick in reference.tricks for play in trick.plays]
    plays += reference.trick
    bidding = None in reference.bids
    on_table = [card for _, card in reference.trick]
    best = reference.best_so_far()
    unseen = set.union(*(reference.hands[other] for other in order[1:]))
    bid, won = reference.bids, reference.tricks_won
    if reference.deal_over:
        lead_seat = None
    elif reference.trick:
        lead_seat = (reference.trick[0][0] - seat) % 4
    else:
        leader = (reference.dealer + 1) % 4 if bidding else reference.turn
        lead_seat = (leader - seat) % 4
    in_play = not bidding and not reference.deal_over
    # How many seats bid before this one: walk from the dealer's left.
    before = 0
    while (reference.dealer + 1 + before) % 4 != seat:
        before += 1
    contract = [sum(bid[s] or 0 for s in partners[team]) for team in teams]
    # R11: a nil's tricks do not count, except by the switch that helps the partner.
    helps = rules.failed_nil == "partner"
    taken = [sum(won[s] for s in partners[team] if bid[s] or helps) for team in teams]
    score = [reference.scores[team] for team in teams]
    bags = [reference.bags[team] for team in teams]
    if rules.floor is None:
        to_floor = [127, 127]
    else:
        to_floor = [clip(up(points - rules.floor)) for points in score]
    return {
        "hand": cards_as_flags(reference.hands[seat]),
        "played": [
            int((other, card) in plays) for other in order for card in range(52)
        ],
        "unseen": cards_as_flags(unseen),
        "trick": cards_as_flags(on_table),
        "best_card": one_hot(best[1] if best else None, 52),
        "led_suit": one_hot(suit_of(on_table[0]) if on_table else None, 4),
        "lead_seat": one_hot(lead_seat, 4),
        "best_seat": one_hot((best[0] - seat) % 4 if best else None, 4),
        "trick_position": one_hot(len(on_table) if in_play else None, 4),
        "voids": [
            int(suit in reference.voids[other]) for other in order for suit in range(4)
        ],
        "has_bid": [int(bid[other] is not None) for other in order],
        "nil_alive": [int(bid[other] == 0 and not won[other]) for other in order],
        "nil_failed": [int(bid[other] == 0 and won[other] > 0) for other in order],
        "bid_position": one_hot(before, 4),
        "dealer": one_hot((reference.dealer - seat) % 4, 4),
        "bid": [-1 if bid[other] is None else bid[other] for other in order],
        "won": [won[other] for other in order],
        "unseen_in_suit": [
            sum(suit_of(card) == suit and rank_of(card) >= 0 for card in unseen)
            for suit in range(4)
        ],
        "contract": contract,
        "needed": [max(0, contract[k] - taken[k]) for k in range(2)],
        "bags": [clip(count) for count in bags],
        "score": [clip((score[k] - bags[k]) // 10) for k in range(2)],
        "to_target": [clip(up(rules.target - points)) for points in score],
        "to_floor": to_floor,
        "tricks_left": [13 - len(reference.tricks)],
        "bidding": [int(bidding)],
        "broken": [int(reference.broken)],
        "other_hands": [
            int(card in reference.hands[other])
            for other in order[1:]
            for card in range(52)
        ],
        "turn": one_hot(
            None if reference.turn is None else (reference.turn - seat) % 4, 4
        ),
    }


def check_all_seats(games, reference, rules):
    """Observation, mask and state of the four seats, field by field."""
    for seat in range(4):
        observation, action_mask, state = observation_of(games, rules, seat)
        fields = slow_fields(reference, rules, seat)
        assert set(fields) == {field.name for field in state_layout()}
        for field in state_layout():
            assert state[field.place].tolist() == fields[field.name], field.name
        for field in observation_layout():
            assert observation[field.place].tolist() == fields[field.name], field.name
        legal = reference.legal_actions() if reference.turn == seat else []
        assert np.flatnonzero(action_mask).tolist() == legal
        assert set(action_mask.tolist()) <= {0, 1}


@pytest.mark.parametrize("seed", range(40))
def test_against_the_slow_encoder(seed):
    """All fields, for all four seats, at all points of random deals."""
    rng = random.Random(seed)
    rules = random_rules(rng) if seed % 4 == 3 else STANDARD
    games, actions = random_deal(rng, rules)
    reference = reference_game_of(games[0], rules)
    for action in [*actions, None]:
        check_all_seats(games, reference, rules)
        if action is not None:
            advance(games, rules.array, np.array([action]))
            reference.apply(action)


@pytest.mark.parametrize("score", [-100_000, -1281, -201, 1279, 1290, 499_999])
def test_far_scores_are_clipped(score):
    """Scores beyond an int8's reach stop at its ends, in every field."""
    rules = Rules(target=1_000_000, floor=None)
    hands = [range(13 * seat, 13 * seat + 13) for seat in range(4)]
    games = new_game(hands, 0, (score, -score), (3, 4))
    check_all_seats(games, reference_game_of(games[0], rules), rules)


def test_many_bags_are_clipped():
    """A bag count beyond an int8's reach stops at its end."""
    rules = Rules(bags_limit=1000)
    hands = [range(13 * seat, 13 * seat + 13) for seat in range(4)]
    games = new_game(hands, 0, (0, 0), (126, 999))
    check_all_seats(games, reference_game_of(games[0], rules), rules)


def test_to_int8():
    """The nearest number that an int8 holds."""
    values = [-1000, -129, -128, -1, 0, 127, 128, 1000]
    assert [to_int8(value) for value in values] == [-128, -128, -128, -1, 0] + [127] * 3


@pytest.mark.parametrize(
    ("layout", "size"),
    [(observation_layout(), OBSERVATION_SIZE), (state_layout(), STATE_SIZE)],
)
def test_layout_covers_every_place_once(layout, size):
    """Fields follow one another without a gap, with names of their own."""
    places = [k for field in layout for k in range(size)[field.place]]
    assert places == list(range(size))
    assert all(field.place.stop > field.place.start for field in layout)
    assert len({field.name for field in layout}) == len(layout)


def test_state_begins_with_the_observation():
    """A critic and a policy can share a network's first layer."""
    assert state_layout()[: len(observation_layout())] == observation_layout()


def test_scales():
    """One float32 factor for each place, by field."""
    scales = scale_of(observation_layout())
    assert scales.shape == (OBSERVATION_SIZE,)
    assert scales.dtype == np.float32
    for field in observation_layout():
        assert (scales[field.place] == np.float32(field.scale)).all()


def test_layout_table():
    """One row for each field, with its places and scale."""
    header, line, *rows = layout_table(observation_layout()).splitlines()
    assert header.count("|") == line.count("|") == 5
    assert len(rows) == len(observation_layout())
    for row, field in zip(rows, observation_layout(), strict=True):
        _, name, places, scale, meaning, _ = (cell.strip() for cell in row.split("|"))
        ends = [int(place) for place in places.split("-")]
        assert name == f"`{field.name}`"
        assert (ends[0], ends[-1] + 1) == (field.place.start, field.place.stop)
        numerator, _, denominator = scale.partition("/")
        assert int(numerator) / int(denominator or 1) == pytest.approx(field.scale)
        assert meaning == field.meaning


def test_observation_id():
    """Twelve hexadecimal digits, the same in every process."""
    assert len(observation_id) == 12
    assert int(observation_id, 16) >= 0
