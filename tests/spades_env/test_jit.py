"""The compiler decorator: no stale code from the disk, and the same without Numba."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from replay import digest

import spades_env.jit
from spades_env.jit import fingerprint, jit

TESTS = Path(__file__).resolve().parents[1]
ROOT = TESTS.parent

# `a` calls `b`, which calls `d`; both read constants of `c`, in every way there is.
PACKAGE = {
    "a.py": """
from spades_env.jit import jit
from package import c
from package.b import middle

@jit
def top(x):
    module = c
    return middle(x) + 100 * c.FACTOR + 1000 * module.SHARE + 2000 * c.Kind.SMALL
""",
    "b.py": """
from spades_env.jit import jit
from package.c import STEPS, TABLES, Kind
from package.d import bottom

@jit
def middle(x):
    table = TABLES[1]
    return bottom(x) + 10 * STEPS[1] + table[1500] + Kind.LARGE + 0
""",
    "c.py": """
from enum import IntEnum
import numpy as np

FACTOR = 3
SHARE = 0
STEPS = np.array([1, 2, 3])
TABLES = (5, np.append(np.zeros(1500, np.int64), np.full(1500, 0)))

class Kind(IntEnum):
    SMALL = 0
    LARGE = 0
""",
    "d.py": """
from spades_env.jit import jit

@jit
def bottom(x):
    return x + 1
""",
}
EDITS = [
    ("b.py", "+ 0", "+ 5", 5),  # a callee
    ("d.py", "x + 1", "x + 7", 6),  # a callee of the callee
    ("c.py", "FACTOR = 3", "FACTOR = 4", 100),  # a constant, by its module
    ("c.py", "SHARE = 0", "SHARE = 2", 2000),  # a module that a variable names
    ("c.py", "[1, 2, 3]", "[1, 9, 3]", 70),  # an array that a callee reads
    ("c.py", "1500, 0", "1500, 4", 4),  # an array in a tuple, deep inside
    ("c.py", "SMALL = 0", "SMALL = 3", 6000),  # an Enum, by its module
    ("c.py", "LARGE = 0", "LARGE = 8", 8),  # an Enum that a callee reads
    ("a.py", "100 *", "200 *", 400),  # the function itself
]
RUN = """
import json
from package.a import top
result = top(1000)
stats = top.stats
print(json.dumps([int(result), sum(stats.cache_hits.values()),
                  sum(stats.cache_misses.values())]))
"""


def run(directory, script=RUN):
    """Result, cache hits and cache misses of the package in a new process."""
    environment = {
        **os.environ,
        "NUMBA_CACHE_DIR": str(directory / "cache"),
        "NUMBA_DISABLE_JIT": "0",
        # Python's own .pyc files look at size and time too; this test changes neither.
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONPATH": os.pathsep.join([str(directory), str(ROOT)]),
    }
    result = subprocess.run(
        [sys.executable, "-c", script], env=environment, capture_output=True, text=True
    )
    assert result.returncode == 0, result.stderr
    return json.loads(result.stdout)


def edit(path, old, new):
    """Change a file, and leave its size and its times as they were."""
    assert len(old) == len(new)
    text = path.read_text()
    assert text.count(old) == 1
    before = path.stat()
    path.write_text(text.replace(old, new))
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    after = path.stat()
    assert (after.st_mtime_ns, after.st_size) == (before.st_mtime_ns, before.st_size)


def test_cache_is_never_stale(tmp_path):
    """A change anywhere below a function recompiles it; no change loads it."""
    package = tmp_path / "package"
    package.mkdir()
    (package / "__init__.py").touch()
    for name, text in PACKAGE.items():
        (package / name).write_text(text)
    expected = 1000 + 1 + 10 * 2 + 100 * 3
    assert run(tmp_path) == [expected, 0, 1]
    assert run(tmp_path) == [expected, 1, 0]

    for name, old, new, difference in EDITS:
        edit(package / name, old, new)
        expected += difference
        assert run(tmp_path) == [expected, 0, 1], (name, new)
    assert run(tmp_path) == [expected, 1, 0]

    # Back to texts that were compiled before.
    for name, old, new, difference in reversed(EDITS):
        edit(package / name, new, old)
        expected -= difference
    assert run(tmp_path)[0] == expected


def test_the_test_itself_would_notice(tmp_path):
    """Numba's own cache serves the stale code that the test above looks for."""
    package = tmp_path / "package"
    package.mkdir()
    (package / "__init__.py").touch()
    for name, text in PACKAGE.items():
        text = text.replace("from spades_env.jit import jit", "from numba import njit")
        text = text.replace("@jit", "@njit(cache=True)")
        (package / name).write_text(text)
    first = run(tmp_path)
    edit(package / "b.py", "+ 0", "+ 5")
    assert run(tmp_path)[0] == first[0]


def test_undefined_callee():
    """What a function calls must be defined above it."""
    with pytest.raises(NameError, match=r"'not_there'.*define it above"):

        @jit
        def function(x):
            return not_there(x)  # noqa: F821


def made(expression, **names):
    """Fingerprint of a function of one line whose globals are `names`."""
    code = compile(f"def function(x):\n    return {expression}\n", "<text>", "exec")
    exec(code, names)
    return fingerprint(names["function"])


PACKED = np.dtype([("a", np.int8), ("b", np.int64)])
ALIGNED = np.dtype([("a", np.int8), ("b", np.int64)], align=True)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (1, 2),
        (1, 1.0),
        (1, True),
        ((1, 2), (1, 3)),
        ("a", "b"),
        (np.int64(1), np.int32(1)),
        (np.arange(3), np.arange(3, dtype=np.int32)),
        (np.arange(2000), np.arange(2000)[::-1]),
        (np.zeros((2, 3)), np.zeros((3, 2))),
        ((np.zeros(2000), 1), (np.ones(2000), 1)),
        (np.dtype([("a", np.int8)]), np.dtype([("b", np.int8)])),
        (PACKED, ALIGNED),
    ],
)
def test_fingerprint_of_constants(before, after):
    """Another value or type gives another fingerprint, the same one the same."""
    assert made("x + NAME", NAME=before) != made("x + NAME", NAME=after)
    assert made("x + NAME", NAME=before) == made("x + NAME", NAME=before)


def test_functions_keep_their_face():
    """Name, documentation and defaults are those of the source."""

    @jit
    def function(x, y=3):
        """Say what it is."""
        return x + y

    assert function(1) == 4
    assert function(1, y=1) == 2
    assert function.__name__ == "function"
    assert function.__doc__ == "Say what it is."
    assert spades_env.jit.jit.__doc__


def test_options_are_passed_on():
    """Options of numba.njit may be given, beside what the decorator sets."""

    @jit(inline="always")
    def function(x):
        return x

    assert function(1) == 1


SAME = "import replay; print(replay.digest(1, 4))"


def test_plain_python_gives_the_same():
    """With NUMBA_DISABLE_JIT=1 records, views and observations are the same bytes.

    Warnings are errors: NumPy warns where its integers overflow, and Numba's wrap.
    """
    environment = {
        **os.environ,
        "NUMBA_DISABLE_JIT": "1",
        "PYTHONPATH": os.pathsep.join([str(TESTS), str(ROOT)]),
    }
    result = subprocess.run(
        [sys.executable, "-W", "error", "-c", SAME],
        env=environment,
        capture_output=True,
        text=True,
    )
    assert result.returncode == 0, result.stderr
    assert result.stdout.strip() == digest(1, 4)


def test_plain_python_passes_the_tests():
    """With NUMBA_DISABLE_JIT=1 the batch, the rules and the reference agree as well."""
    environment = {
        **os.environ,
        "NUMBA_DISABLE_JIT": "1",
        "PYTHONPATH": str(ROOT),
    }
    here = Path(__file__).parent
    result = subprocess.run(
        [
            sys.executable,
            "-m",
            "pytest",
            "-W",
            "error::RuntimeWarning",
            "-q",
            "-x",
            "-p",
            "no:cacheprovider",
            str(here / "test_rules.py"),
            str(here / "test_cards.py"),
            f"{here / 'test_batch.py'}::test_action_dtypes",
            f"{here / 'test_batch.py'}::test_observe_is_what_one_game_shows",
            f"{here / 'test_reference_agreement.py'}::test_whole_games",
            f"{here / 'test_notation.py'}::test_round_trip_at_every_point",
        ],
        env=environment,
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    assert result.returncode == 0, result.stdout + result.stderr
