"""The command line: what it prints, and one clear line for a user's mistake."""

import json
import subprocess
import sys

import pytest

from training.cli import main


def test_arena_json(capsys):
    assert (
        main(["arena", "easy", "random", "--pairs", "50", "--seed", "4", "--json"]) == 0
    )
    data = json.loads(capsys.readouterr().out)
    assert (data["a"], data["b"], data["pairs"], data["seed"]) == (
        "easy",
        "random",
        50,
        4,
    )
    assert data["ci99"][0] < data["ci95"][0] < data["points_per_deal"]


def test_arena_table(capsys):
    assert main(["arena", "easy", "random", "--pairs", "50"]) == 0
    out = capsys.readouterr().out
    assert "95 % interval" in out
    assert "nils made" in out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["arena", "easy", "expert"], "there is no player 'expert'"),
        (["arena", "easy", "none.onnx"], "no exported policy none.onnx"),
        (["arena", "easy", "easy", "--pairs", "1"], "pairs must be at least 2"),
        (["export", "nowhere", "--out", "x.onnx"], "no checkpoint file nowhere"),
        (["train", "--resume", "nowhere"], "no checkpoint file"),
    ],
)
def test_mistakes_get_one_line(arguments, message, capsys):
    assert main(arguments) == 2
    error = capsys.readouterr().err
    assert message in error
    assert "Traceback" not in error


def test_a_wrong_option_is_told_before_anything_runs(tmp_path):
    arguments = ["train", "--run", str(tmp_path / "x"), "--ppo.clip", "3"]
    done = subprocess.run(
        [sys.executable, "-m", "training", *arguments], capture_output=True, text=True
    )
    assert done.returncode == 2
    words = " ".join(done.stderr.replace("│", " ").split())
    assert "ppo.clip must be between 0 and 1, not 3.0" in words
    assert not (tmp_path / "x").exists()


def test_preset_is_where_the_options_start(capsys):
    with pytest.raises(SystemExit):
        main(["train", "--preset", "smoke", "--help"])
    help_text = " ".join(capsys.readouterr().out.split())
    assert "(default: smoke)" in help_text
    assert "(default: 1024)" in help_text


def test_watch_shows_a_deal_and_its_notation(capsys):
    assert main(["watch", "easy", "easy", "--seed", "2"]) == 0
    out = capsys.readouterr().out
    assert "hands=" in out.splitlines()[-1]


def test_the_packages_import_without_torch():
    code = (
        "import sys; sys.modules['torch'] = None; import spades_env, baselines, "
        "training.cli, baselines.arena; assert 'onnx' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.parametrize(
    "arguments",
    [["--seed", "-1"], ["--deals", "0"], ["--threads", "-1"]],
)
def test_wrong_values_of_a_run_get_one_line(arguments, tmp_path, capsys):
    try:
        status = main(["train", "--run", str(tmp_path / "x"), *arguments])
    except SystemExit as error:
        status = error.code
    assert status == 2
    assert "Traceback" not in capsys.readouterr().err
    assert not (tmp_path / "x").exists()


def test_resume_refuses_other_options(tmp_path, capsys):
    assert main(["train", "--resume", str(tmp_path), "--ppo.updates", "50"]) == 2
    assert "give no others with it" in capsys.readouterr().err
