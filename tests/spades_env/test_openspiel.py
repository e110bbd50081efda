"""OpenSpiel's `spades` agrees, where its rules are these.

Compared are following suit, trick winners, and the scores of teams without nil, from
scores of 0 and more. OpenSpiel never counts spades as broken, reads bags off the
score's last digit (right from 0 up), and lets partners bid 13 together at most; so the
deals are played with actions that both sides allow.
"""

import random

import pytest
from replay import members, new_game

from spades_env import STANDARD, format_deal
from spades_env.game import BID, apply, is_legal, legal_cards

pyspiel = pytest.importorskip("pyspiel", reason="open_spiel is not installed")


def compare(spiel_game, rng):
    """Play one deal on both sides; the number of team scores compared."""
    deck = list(range(52))
    rng.shuffle(deck)
    dealer = rng.randrange(4)
    score = [rng.randrange(500), rng.randrange(500)]
    games = new_game(
        [deck[seat::4] for seat in range(4)], dealer, score, [s % 10 for s in score]
    )
    game, rules = games[0], STANDARD.array[0]
    state = spiel_game.new_initial_state()
    for card in deck:
        state.apply_action(card)  # card k goes to seat k % 4
    state.set_current_player((dealer + 1) % 4)
    state.set_current_scores(score)
    with_nil = rng.random() < 0.25
    for decision in range(56):
        # R6, R8: the turn also tells who won the trick.
        assert state.current_player() == game.turn, format_deal(game)
        theirs = state.legal_actions()
        if decision < 4:
            assert all(is_legal(game, action) for action in theirs)
            highest = 13 if with_nil else 12  # 13 would leave nil only to the partner
            choices = [a for a in theirs if a <= BID + highest and a > BID - with_nil]
        else:
            ours = members(legal_cards(game))
            if game.led_suit < 0 and game.broken:
                assert set(theirs) <= set(ours), format_deal(game)
            else:
                # R7, and R9 before spades are broken.
                assert theirs == ours, format_deal(game)
            choices = theirs
        action = rng.choice(choices)
        state.apply_action(action)
        apply(game, rules, action)
    assert state.is_terminal()
    assert game.turn == -1
    compared = 0
    for team in range(2):
        if game.bid[team] and game.bid[team + 2]:
            compared += 1
            # R11 to R17.
            assert state.get_current_scores()[team] == game.score[team], format_deal(
                game
            )
    return compared


def compare_many(deals, seed):
    """Compare deals; the number of team scores compared."""
    spiel_game = pyspiel.load_game("spades")
    rng = random.Random(seed)
    return sum(compare(spiel_game, rng) for _ in range(deals))


def test_a_few_deals():
    """R6 to R9, R11 to R17: 300 deals."""
    assert compare_many(300, 0) > 400


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(1, 11))
def test_many_deals(seed):
    """R6 to R9, R11 to R17: 20,000 deals."""
    assert compare_many(2000, seed) > 2500
