"""What holds at every point of every deal, looked for by hypothesis."""

import io

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from replay import advance, members, new_game, observation_of, view_of

from spades_env import GAME, STANDARD, Rules, format_deal, parse_deal
from spades_env.game import BID, apply, legal_cards

ALL_CARDS = set(range(52))

# The first example compiles; a busy machine must not fail a test for being slow.
properties = settings(deadline=None, max_examples=60)

rules_choices = st.sampled_from(
    [
        STANDARD,
        Rules(floor=None, bags_carried=False, bags_limit=3),
        Rules(failed_nil="partner", set_team="zero", nil_points=50),
        Rules(failed_nil="nothing", target=100, floor=-50),
    ]
)


@st.composite
def positions(draw):
    """A deal's start, the actions of the whole deal, and how many have been taken."""
    rules = draw(rules_choices)
    deck = draw(st.permutations(range(52)))
    scores = st.integers(-49, 99)
    bags = st.integers(0, rules.bags_limit - 1)
    start = new_game(
        [deck[13 * seat : 13 * seat + 13] for seat in range(4)],
        dealer=draw(st.integers(0, 3)),
        score=(draw(scores), draw(scores)),
        bags=(draw(bags), draw(bags)),
        seed=draw(st.integers(0, 2**64 - 1)),
        deal=draw(st.integers(0, 2**31 - 2)),
    )
    games = start.copy()
    actions = [BID + draw(st.integers(0, 13)) for _ in range(4)]
    advance(games, rules.array, np.array(actions))
    for choice in draw(st.lists(st.integers(0, 12), min_size=52, max_size=52)):
        legal = members(legal_cards(games[0]))
        actions.append(legal[choice % len(legal)])
        apply(games[0], rules.array[0], actions[-1])
    return start, actions, draw(st.integers(0, 56)), rules


def at(start, actions, rules):
    """The games after these actions."""
    games = np.zeros(1, GAME)
    games[0] = start[0]
    advance(games, rules.array, np.array(actions, np.int64))
    return games


@properties
@given(positions())
def test_every_card_is_somewhere_exactly_once(position):
    """R2: in a hand or played; the table and the plays tell the same."""
    start, actions, taken, rules = position
    game = at(start, actions[:taken], rules)[0]
    hands = [set(members(hand)) for hand in game.hand]
    played = [set(members(cards)) for cards in game.played]
    assert sum(map(len, hands + played)) == 52
    assert set.union(*hands, *played) == ALL_CARDS
    for seat in range(4):
        assert hands[seat] | played[seat] == set(members(start[0].hand[seat]))
    plays = game.plays.tolist()
    count = max(taken - 4, 0)
    assert plays == actions[4 : 4 + count] + [-1] * (52 - count)
    assert set(plays[:count]) == set.union(*played)
    on_table = count % 4
    assert set(members(game.table)) == set(plays[count - on_table : count])
    assert sum(game.won.tolist()) == count // 4


def turned(start, by):
    """The same deal with everybody moved `by` seats clockwise."""
    game = start[0]
    return new_game(
        [members(game.hand[(seat - by) % 4]) for seat in range(4)],
        (int(game.dealer) + by) % 4,
        np.roll(game.score, by),
        np.roll(game.bags, by),
        game.seed,
        game.deal,
    )


@properties
@given(positions(), st.integers(1, 3))
def test_turning_the_table(position, by):
    """R1: it turns the result, and every seat sees what it saw before."""
    start, actions, taken, rules = position
    game = at(start, actions[:taken], rules)
    other = at(turned(start, by), actions[:taken], rules)
    for name in ("score", "bags", "deal_points", "deal_bags", "deal_penalties"):
        assert other[0][name].tolist() == np.roll(game[0][name], by).tolist()
    for name in ("won", "bid", "hand", "played"):
        assert other[0][name].tolist() == np.roll(game[0][name], by).tolist()
    winner = int(game[0].winner)
    assert other[0].winner == (winner if winner < 0 else (winner + by) % 2)
    for seat in range(4):
        new_seat = (seat + by) % 4
        view = view_of(game, rules, seat)
        assert view_of(other, rules, new_seat).tobytes() == view.tobytes()
        for vector, other_vector in zip(
            observation_of(game, rules, seat),
            observation_of(other, rules, new_seat),
            strict=True,
        ):
            assert vector.tobytes() == other_vector.tobytes()


@properties
@given(positions(), st.data())
def test_hidden_cards_do_not_show(position, data):
    """A1: a View, its observation and its mask are the same for any hidden cards."""
    start, actions, taken, rules = position
    game = at(start, actions[:taken], rules)
    for seat in range(4):
        others = [(seat + k) % 4 for k in range(1, 4)]
        sizes = [int(game[0].hand[other]).bit_count() for other in others]
        hidden = members(sum(game[0].hand[other] for other in others))
        hidden = data.draw(st.permutations(hidden)) if hidden else hidden
        changed = at(start, actions[:taken], rules)
        for other, size in zip(others, sizes, strict=True):
            changed[0].hand[other] = sum(1 << card for card in hidden[:size])
            hidden = hidden[size:]
        view = view_of(game, rules, seat)
        assert view_of(changed, rules, seat).tobytes() == view.tobytes()
        before = observation_of(game, rules, seat)
        after = observation_of(changed, rules, seat)
        assert after[0].tobytes() == before[0].tobytes()
        assert after[1].tobytes() == before[1].tobytes()


@properties
@given(positions())
def test_notation_round_trips(position):
    """A deal's text parses back to the same record, at any point."""
    start, actions, taken, rules = position
    game = at(start, actions[:taken], rules)
    parsed, parsed_rules = parse_deal(format_deal(game[0], rules))
    assert parsed.tobytes() == game.tobytes()
    assert parsed_rules == rules


@properties
@given(st.lists(positions(), min_size=1, max_size=3))
def test_saved_games_go_on(many):
    """A saved array loads to the same games, and they play on alike."""
    games = np.zeros(len(many), GAME)
    for i, (start, actions, taken, rules) in enumerate(many):
        games[i] = at(start, actions[:taken], rules)[0]
    file = io.BytesIO()
    np.save(file, games)
    file.seek(0)
    loaded = np.load(file).view(GAME)  # NumPy's files do not keep np.record
    assert loaded.dtype == GAME
    assert (loaded == games).all()
    for i, (start, actions, taken, rules) in enumerate(many):
        advance(loaded[i : i + 1], rules.array, np.array(actions[taken:], np.int64))
        assert (loaded[i : i + 1] == at(start, actions, rules)).all()


@properties
@given(positions())
def test_results_add_up(position):
    """What a deal adds to the scores is what it says it added (R12 to R17)."""
    start, actions, _, rules = position
    before, after = start[0], at(start, actions, rules)[0]
    assert (after.score - before.score).tolist() == after.deal_points.tolist()
    for team in range(2):
        total = int(before.bags[team]) + int(after.deal_bags[team])
        penalties = int(after.deal_penalties[team])
        if rules.bags_carried:
            assert int(after.bags[team]) == total - rules.bags_limit * penalties
        else:
            assert int(after.bags[team]) == (0 if penalties else total)
        assert 0 <= after.bags[team] < rules.bags_limit
