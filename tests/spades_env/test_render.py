"""The table as text."""

import numpy as np
import pytest

from spades_env import Rules, spades_v0
from spades_env.cards import card_text, cards_of
from spades_env.render import render_text

RULES = Rules()
HANDS = [
    hand.split()
    for hand in (
        "2C 3C 4C 5C 6C 7C 8C 9C TC JC QC KC AC",
        "2D 3D 4D 5D 6D 7D 8D 9D TD JD QD 2S AS",
        "2H 3H 4H 5H 6H 7H 8H 9H TH JH QH KD AD",
        "3S 4S 5S 6S 7S 8S 9S TS JS QS KS KH AH",
    )
]


def game_after(*actions, **options):
    env = spades_v0.raw_env(episode="game")
    env.reset(seed=0, options={"hands": HANDS, "dealer": 3, **options})
    for action in actions:
        env.step(action)
    return env.game


def test_bidding():
    game = game_after(52, 56, scores=(120, -35), bags=(0, 5))
    assert render_text(game, RULES) == (
        """\
Deal 1, bidding, spades are not broken

                   bid  tricks  hand
  player_0          nil       0  S -  H -  D -  C AKQJT98765432
  player_1            4       0  S A2  H -  D QJT98765432  C -
> player_2            -       0  S -  H QJT98765432  D AK  C -
  player_3 dealer     -       0  S KQJT9876543  H AK  D -  C -

trick       -

                              score  bags  contract  needed
team 0 (player_0, player_2)     120     0         0       0
team 1 (player_1, player_3)     -35     5         4       4"""
    )


def test_tricks():
    """Clubs are led; player_1 trumps with the 2, and player_3 with the 3."""
    game = game_after(52, 56, 54, 58, 0, 39, 26, 40, 37 + 13)
    assert render_text(game, RULES) == (
        """\
Deal 1, trick 2 of 13, spades are broken

                   bid  tricks  hand
> player_0          nil       0  S -  H -  D -  C AKQJT9876543
  player_1            4       0  S A  H -  D QJT98765432  C -
  player_2            2       0  S -  H QJT9876543  D AK  C -
  player_3 dealer     6       1  S QJT987654  H AK  D -  C -

trick       player_3 KS*
last trick  player_0 2C  player_1 2S  player_2 2H  player_3 3S*

                              score  bags  contract  needed
team 0 (player_0, player_2)       0     0         2       2
team 1 (player_1, player_3)       0     0        10       9"""
    )


def test_one_seat_sees_one_hand():
    game = game_after(52, 56, 54, 58, 0)
    lines = render_text(game, RULES, seat=2).splitlines()
    assert lines[3:7] == [
        "  player_0          nil       0  12 cards",
        "> player_1            4       0  13 cards",
        "  player_2            2       0  S -  H QJT98765432  D AK  C -",
        "  player_3 dealer     6       0  13 cards",
    ]
    assert lines[8] == "trick       player_0 2C*"


def test_hidden_cards_do_not_show():
    """A1: the text for a seat does not change with the other hands."""
    game = game_after(52, 56, 54, 58, 0)
    before = render_text(game, RULES, seat=2)
    game.hand[1], game.hand[3] = int(game.hand[3]), int(game.hand[1])
    assert render_text(game, RULES, seat=2) == before


def test_a_trick_that_nobody_has_led():
    game = game_after(52, 56, 54, 58, 0, 39, 26, 40)
    assert "trick       player_3 leads\n" in render_text(game, RULES)


@pytest.mark.parametrize("seed", range(20))
def test_the_end(seed):
    """The last trick has its winner, and the result stands below."""
    env = spades_v0.raw_env()
    env.reset(seed=seed)
    rng = np.random.default_rng(seed)
    for _ in range(56):
        hand = {seat: cards_of(env.game.hand[seat]) for seat in range(4)}
        best = int(env.game.best_seat), int(env.game.best_card)
        legal = np.flatnonzero(env.last()[0]["action_mask"])
        actor, action = int(env.game.turn), int(rng.choice(legal))
        env.step(action)
    assert hand[actor] == [action]
    led = best[1] // 13
    if action > best[1] and action // 13 in (led, 3):
        best = actor, action
    text = render_text(env.game, RULES)
    assert f"player_{best[0]} {card_text(best[1])}*" in text
    assert text.count("*") == 1
    points = [f"{int(value):+}" for value in env.game.deal_points]
    assert f"This deal: {points[0]} with" in text
    assert text.startswith(("Deal 1, deal over", "Deal 1, game over"))
    assert ("wins the game" in text) == (env.game.winner >= 0)


def test_the_partner_helps_by_these_rules():
    """`failed_nil="partner"`: the tricks of a failed nil count for the contract."""
    # player_0 bids nil and wins the first trick, as player_3 has clubs here.
    hands = [*HANDS[:3], ["2C", *HANDS[3][1:]]]
    hands[0] = ["3S", *HANDS[0][1:]]
    game = game_after(52, 56, 54, 58, 12, 13, 26, 0, hands=hands)
    assert game.won.tolist() == [1, 0, 0, 0]
    needed = [
        int(render_text(game, rules).splitlines()[-2].split()[-1])
        for rules in (RULES, Rules(failed_nil="partner"))
    ]
    assert needed == [2, 1]


def test_bad_seat():
    with pytest.raises(ValueError, match="seat must be None or 0 to 3, not 4"):
        render_text(game_after(), RULES, seat=4)
