"""The README's Python runs as it stands."""

import re
from pathlib import Path

README = (Path(__file__).parent.parent / "README.md").read_text()


def test_every_python_block_runs_in_order(capsys):
    blocks = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    assert len(blocks) >= 4
    names: dict[str, object] = {}
    for block in blocks:
        exec(compile(block, "README.md", "exec"), names)
    assert capsys.readouterr().out


def test_the_quick_start_has_exactly_two_commands():
    quick_start = README.split("## Quick start")[1].split("\n## ")[0]
    blocks = re.findall(r"```bash\n(.*?)```", quick_start, re.DOTALL)
    assert len(blocks) == 2
    assert all(len(block.strip().splitlines()) == 1 for block in blocks)


def test_the_figures_of_the_table_are_those_of_the_code():
    from spades_env import GAME, NUM_ACTIONS, OBSERVATION_SIZE

    assert f"int8 ({OBSERVATION_SIZE},)" in README
    assert f"int8 ({NUM_ACTIONS},)" in README
    assert f"{GAME.itemsize} bytes a game" in README
    assert f"Discrete({NUM_ACTIONS})" in README
