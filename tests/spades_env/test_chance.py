"""Chance: deal k of seed s is the same for ever, and every deal is as likely."""

import numpy as np
import pytest

from spades_env import GAME, STANDARD, GameBatch, format_deal
from spades_env.chance import MASK64, below, derive, mix
from spades_env.game import next_deal, start_game
from spades_env.jit import jit

# Written down once. A change here breaks every seed that anybody has published.
GOLDEN_DEALS = {
    (0, 0): (
        "seed=0 deal=0 dealer=0 score=0:0 bags=0:0"
        " hands=K6.KJ98.K85.K865 -.A7643.AJT973.A4"
        " J953.T2.42.QJ972 AQT8742.Q5.Q6.T3"
    ),
    (7, 0): (
        "seed=7 deal=0 dealer=2 score=0:0 bags=0:0"
        " hands=JT63.A932.73.A92 Q98742.K54.A95.Q"
        " 5.T87.KQJ86.J764 AK.QJ6.T42.KT853"
    ),
    (7, 1): (
        "seed=7 deal=1 dealer=3 score=0:0 bags=0:0"
        " hands=QT953.A6.K8.AJT9 KJ.9754.97632.KQ"
        " A762.QT3.AQJ4.86 84.KJ82.T5.75432"
    ),
    (7, 2): (
        "seed=7 deal=2 dealer=0 score=0:0 bags=0:0"
        " hands=7654.J8542.K.A76 T98.QT3.AT6532.2"
        " J32.97.QJ97.T943 AKQ.AK6.84.KQJ85"
    ),
    (2**64 - 1, 0): (
        "seed=18446744073709551615 deal=0 dealer=1 score=0:0 bags=0:0"
        " hands=AQJ9.K63.A.QT986 843.98542.T4.KJ5"
        " T65.AQJ.K96532.3 K72.T7.QJ87.A742"
    ),
}


def deal_text(seed, deal):
    """Dealer and hands of a deal, as notation."""
    games = np.zeros(1, GAME)
    start_game(games[0], np.uint64(seed))
    for _ in range(deal):
        next_deal(games[0])
    return format_deal(games[0], STANDARD)


@pytest.mark.parametrize(("seed", "deal"), GOLDEN_DEALS)
def test_golden_deals(seed, deal):
    """R2, R3: the hands and the dealer of a deal never change."""
    assert deal_text(seed, deal) == GOLDEN_DEALS[seed, deal]


def test_splitmix64():
    """`mix` is SplitMix64: the first numbers of the published generator, seed 0."""
    state = 0
    numbers = []
    for _ in range(3):
        state = (state + 0x9E3779B97F4A7C15) & MASK64
        numbers.append(int(mix(np.uint64(state))))
    assert numbers == [0xE220A8397B1DCDAF, 0x6E789E6AA1B965F4, 0x06C45D188009454F]


def test_keys_of_streams_differ():
    """Neighbouring keys and counters give unrelated streams."""
    keys = {int(derive(np.uint64(key), n)) for key in range(100) for n in range(100)}
    assert len(keys) == 10_000


def test_deal_depends_on_seed_and_number_only():
    """A deal is the same whatever happened before it, and in a batch of any size."""
    games = np.zeros(1, GAME)
    start_game(games[0], np.uint64(5))
    games[0].score = 120, -30
    next_deal(games[0])
    expected = np.zeros(1, GAME)
    start_game(expected[0], np.uint64(5))
    next_deal(expected[0])
    assert (games["hand"] == expected["hand"]).all()
    small, large = GameBatch(3, seed=9), GameBatch(50, seed=9)
    assert small.games.tobytes() == large.games[:3].tobytes()
    assert len({hand.tobytes() for hand in large.games["hand"]}) == 50


@jit
def deal_counts(games, seeds, card_seat, pair, dealers):
    """Who gets each card, who gets the two black aces together, who deals."""
    for seed in seeds:
        start_game(games[0], seed)
        dealers[games[0].dealer] += 1
        for seat in range(4):
            hand = games[0].hand[seat]
            for card in range(52):
                card_seat[card, seat] += (hand >> card) & 1
            pair[seat] += (hand >> 12) & (hand >> 51) & 1


def chi_square(counts, expected):
    """Pearson's statistic."""
    return float(((counts - expected) ** 2 / expected).sum())


def test_deals_are_uniform():
    """R2, R3: every seat is as likely to get each card, and to deal.

    Consecutive seeds, as users take them. The limits are those of 1 in 100,000; the
    draws are fixed, so the test cannot fail by chance.
    """
    n = 40_000
    card_seat = np.zeros((52, 4), np.int64)
    pair = np.zeros(4, np.int64)
    dealers = np.zeros(4, np.int64)
    seeds = np.arange(n, dtype=np.uint64)
    deal_counts(np.zeros(1, GAME), seeds, card_seat, pair, dealers)
    assert (card_seat.sum(0) == 13 * n).all()
    # 13 of 52 without replacement: the variance is 51 / 52 of independent draws, and
    # 51 * 3 degrees of freedom are free.
    assert chi_square(card_seat, n / 4) * 51 / 52 < 242
    assert chi_square(dealers, n / 4) < 25.9
    # Two given cards are together in a given hand with 13 * 12 / (52 * 51).
    assert chi_square(pair, n * 13 * 12 / (52 * 51)) < 30


def test_below_is_uniform():
    """`below` reaches every number of its range evenly, and none outside."""
    draws = [int(below(np.uint64(mix(np.uint64(k))), 13)) for k in range(13_000)]
    counts = np.bincount(draws, minlength=13)
    assert len(counts) == 13
    assert chi_square(counts, 1000) < 45
    assert below(np.uint64(MASK64), 4) == 3
    assert below(np.uint64(0), 4) == 0
