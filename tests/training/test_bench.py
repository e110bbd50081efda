"""The benchmarks run, and report what they promise."""

import json

import pytest

from training.bench import table
from training.cli import main

KEYS = {
    "engine_vs_c",
    "observed_vs_c",
    "batch4096_vs_openspiel",
    "batch_two_core_scaling",
    "aec_vs_openspiel",
    "vector_steps_per_s",
    "bots_deals_per_s",
}


def test_the_table_says_where_a_peer_is_missing():
    report = {
        "measurements": [{"name": "engine", "rate": 1234.5, "unit": "decisions/s"}],
        "engine_vs_c": None,
        "aec_vs_openspiel": 4.0,
        "machine": {"cpu": "some"},
    }
    text = table(report)
    assert "| engine | 1,234 decisions/s |" in text
    assert "| `engine_vs_c` | peer not installed |" in text
    assert "| `aec_vs_openspiel` | 4 |" in text


def test_rounds_must_be_positive(capsys):
    assert main(["bench", "--rounds", "0"]) == 2
    assert "rounds must be at least 1" in capsys.readouterr().err


@pytest.mark.slow
def test_the_report_has_its_keys_and_sensible_values(capsys):
    assert main(["bench", "--rounds", "1", "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert set(report) >= KEYS
    assert all(line["rate"] > 0 for line in report["measurements"])
    assert set(report["bots_deals_per_s"]) == {"random", "easy", "normal", "hard"}
