"""Cards, their text, and sets of cards."""

import numpy as np
import pytest

from spades_env.cards import (
    ACE,
    ALL_CARDS,
    CLUBS,
    DIAMONDS,
    HEARTS,
    JACK,
    KING,
    NUM_CARDS,
    QUEEN,
    SPADE_CARDS,
    SPADES,
    card_set,
    card_text,
    cards_of,
    count_cards,
    highest_card,
    lowest_card,
    parse_card,
    suit_cards,
    suit_of,
    write_cards,
)
from spades_env.jit import jit


def test_text_of_known_cards():
    """R2: clubs, diamonds, hearts, spades; the 2 lowest, the ace highest."""
    assert card_text(0) == "2C"
    assert card_text(12) == "AC"
    assert card_text(13 * DIAMONDS + 8) == "TD"
    assert card_text(13 * HEARTS + JACK) == "JH"
    assert card_text(13 * SPADES + QUEEN) == "QS"
    assert card_text(13 * SPADES + KING) == "KS"
    assert card_text(51) == card_text(13 * SPADES + ACE) == "AS"
    assert parse_card("2C") == 13 * CLUBS
    assert parse_card("td") == 21


def test_text_round_trip():
    """Each card has a text of its own."""
    texts = [card_text(card) for card in range(NUM_CARDS)]
    assert len(set(texts)) == 52
    assert [parse_card(text) for text in texts] == list(range(52))
    assert [parse_card(text.lower()) for text in texts] == list(range(52))


@pytest.mark.parametrize("text", ["", "A", "AX", "1S", "10S", "SA", "A S", "AS ", "🂡"])
def test_bad_card_text(text):
    """The error names the text and what a card is."""
    with pytest.raises(ValueError) as error:
        parse_card(text)
    assert repr(text) in str(error.value)
    assert "23456789TJQKA" in str(error.value)
    assert "CDHS" in str(error.value)


@pytest.mark.parametrize("card", [-1, 52, 100])
def test_bad_card_number(card):
    """The error names the number and the range."""
    for function in (card_text, lambda card: card_set([3, card])):
        with pytest.raises(ValueError, match=rf"card {card} .*0 to 51"):
            function(card)


def test_sets():
    """A set is one bit a card."""
    assert card_set([]) == 0
    assert card_set([0, 51]) == 1 + 2**51
    assert card_set(np.array([3, 3, 5], np.int8)) == 0b101000
    assert cards_of(card_set([7, 3, 51])) == [3, 7, 51]
    assert cards_of(int(ALL_CARDS)) == list(range(52))
    assert cards_of(int(SPADE_CARDS)) == list(range(39, 52))


def test_suits():
    """R2: thirteen cards of each suit."""
    for suit in range(4):
        assert cards_of(suit_cards(suit)) == list(range(13 * suit, 13 * suit + 13))
    assert [suit_of(card) for card in range(52)] == [card // 13 for card in range(52)]


@jit
def compiled_operations(sets, numbers, bytes_out):
    for k in range(len(sets)):
        numbers[k, 0] = count_cards(sets[k])
        numbers[k, 1] = lowest_card(sets[k])
        numbers[k, 2] = highest_card(sets[k])
        write_cards(sets[k], bytes_out[k], 3)


def test_compiled_operations_equal_the_plain_ones():
    """What runs with NUMBA_DISABLE_JIT=1 and the compiled code give the same."""
    rng = np.random.default_rng(0)
    sets = rng.integers(1, 2**52, 300)
    sets &= rng.integers(0, 2**52, 300)  # thinner sets too
    sets[:52] = 1 << np.arange(52)
    sets[52] = ALL_CARDS
    sets = sets[sets > 0]
    numbers = np.zeros((len(sets), 3), np.int64)
    found = np.full((len(sets), 60), 99, np.int8)
    compiled_operations(sets, numbers, found)
    plain = np.full(60, 99, np.int8)
    for k, cards in enumerate(sets):
        members = cards_of(cards)
        expected = [len(members), members[0], members[-1]]
        assert numbers[k].tolist() == expected
        assert [f(cards) for f in (count_cards, lowest_card, highest_card)] == expected
        write_cards(cards, plain, 3)
        assert found[k].tolist() == plain.tolist()
        assert np.flatnonzero(found[k, 3:55]).tolist() == members
        assert (found[k, :3] == 99).all()
        assert (found[k, 55:] == 99).all()  # nothing is written beyond the 52
