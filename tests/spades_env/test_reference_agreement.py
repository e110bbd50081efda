"""The engine and the slow reference agree, decision by decision.

The reference is written from the rules alone and shares no code with the engine. It
plays random deals; the engine replays them; every row and every result is compared.
"""

import random

import numpy as np
import pytest
from reference import ReferenceGame
from replay import (
    BID_STYLES,
    ROW,
    members,
    play_engine,
    play_reference,
    random_rules,
    random_start,
    reference_game_of,
    reference_row,
    write_row,
)

from spades_env import GAME, RULES, STANDARD, GameBatch, format_deal
from spades_env.game import next_deal, start_game

CHUNK = 500  # deals played together


def compare(seed, deals, with_rules, style):
    """Play deals on both sides; fail at the first place where they differ."""
    rng = random.Random(f"{seed} {with_rules} {style}")
    rules = [random_rules(rng) if with_rules else STANDARD for _ in range(deals)]
    games = np.zeros(deals, GAME)
    rule_records = np.zeros(deals, RULES)
    actions = np.zeros((deals, 56), np.int64)
    expected = np.zeros((deals, 57), ROW)
    references: list[ReferenceGame] = []
    for i in range(deals):
        games[i] = random_start(rng, rules[i])[0]
        rule_records[i] = rules[i].array[0]
        reference = reference_game_of(games[i], rules[i])
        actions[i], expected[i] = play_reference(reference, rng, style)
        references.append(reference)
    found = np.zeros((deals, 57), ROW)
    play_engine(games, rule_records, actions, found)
    for name in ROW.names:
        same = found[name] == expected[name]
        if not same.all():
            i, k = np.argwhere(~same.reshape(deals, 57, -1).all(-1))[0]
            pytest.fail(
                f"{name} is {found[name][i, k]} and not {expected[name][i, k]} before"
                f" decision {k} of {format_deal(games[i], rules[i])}"
            )
    for i, reference in enumerate(references):
        game = games[i]
        result = {
            "score": game.score.tolist(),
            "bags": game.bags.tolist(),
            "points": game.deal_points.tolist(),
            "winner": int(game.winner) if game.winner >= 0 else None,
            "leaders": game.leader.tolist(),
            "plays": game.plays.tolist(),
        }
        assert result == {
            "score": reference.scores,
            "bags": reference.bags,
            "points": reference.deal_scores,
            "winner": reference.winner,
            "leaders": [trick.leader for trick in reference.tricks],
            "plays": [card for trick in reference.tricks for _, card in trick.plays],
        }, format_deal(game, rules[i])
        if reference.winner is None:
            check_next_deal(games[i : i + 1], reference)


def check_next_deal(games, reference):
    """R3, R9: both sides begin the next deal alike."""
    deal = int(games[0].deal)
    next_deal(games[0])
    reference.next_deal([members(hand) for hand in games[0].hand])
    row = np.zeros(1, ROW)
    write_row(games[0], row[0])
    expected = np.array([reference_row(reference, reference.legal_actions())], ROW)
    assert row.tobytes() == expected.tobytes()
    assert games[0].dealer == reference.dealer
    assert games[0].deal == deal + 1
    assert games[0].deal_points.tolist() == [0, 0]
    assert games[0].score.tolist() == reference.scores
    assert games[0].bags.tolist() == reference.bags


@pytest.mark.parametrize("style", BID_STYLES)
@pytest.mark.parametrize("with_rules", [False, True], ids=["standard", "other rules"])
def test_random_deals(with_rules, style):
    """R1 to R20: 2,000 deals at random scores and bags."""
    compare(0, 250, with_rules, style)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(1, 26))
@pytest.mark.parametrize("style", BID_STYLES)
@pytest.mark.parametrize("with_rules", [False, True], ids=["standard", "other rules"])
def test_many_random_deals(with_rules, style, seed):
    """R1 to R20: 100,000 deals at random scores and bags."""
    compare(seed, CHUNK, with_rules, style)


@pytest.mark.parametrize("seed", range(10))
def test_whole_games(seed):
    """R3, R17, R19, R20: scores and bags carry from 0:0 to the end of a game."""
    rng = random.Random(seed)
    rules = random_rules(rng) if seed % 2 else STANDARD
    games = np.zeros(1, GAME)
    start_game(games[0], np.uint64(seed))
    reference = reference_game_of(games[0], rules)
    rows = np.zeros((1, 57), ROW)
    for _ in range(60):
        actions, expected = play_reference(reference, rng, "sound")
        play_engine(games, rules.array, np.array([actions]), rows)
        assert rows.tobytes() == np.array([expected], ROW).tobytes()
        assert games[0].score.tolist() == reference.scores
        assert games[0].bags.tolist() == reference.bags
        assert games[0].winner == (-1 if reference.winner is None else reference.winner)
        if reference.winner is not None:
            break
        check_next_deal(games, reference)


def test_batch_gives_the_same_records():
    """GameBatch plays many games as one game is played."""
    rng = random.Random(1)
    batch = GameBatch(40)
    actions = np.zeros((40, 56), np.int64)
    for i in range(40):
        batch.games[i] = random_start(rng)[0]
        reference = reference_game_of(batch.games[i])
        actions[i], _ = play_reference(reference, rng, "any")
    single = np.zeros(40, GAME)
    single[:] = batch.games
    play_engine(single, np.repeat(STANDARD.array, 40), actions, np.zeros((40, 57), ROW))
    for k in range(56):
        batch.step(actions[:, k])
    assert batch.games.tobytes() == single.tobytes()
