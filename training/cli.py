"""The command line: `spades train`, `arena`, `export`, `watch`, `bench`, `quickstart`.

Modules that need torch are imported by the commands that use them.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated, Literal

import tyro

import baselines
from baselines.checkpoint import CHECKPOINT
from training.config import PRESETS, TrainConfig


@dataclasses.dataclass
class Train:
    """Train a policy: clone a bot, then self-play.

    Attributes:
        preset: values that the options below start from.
        run: directory of the new run; runs/PRESET by default.
        resume: directory of a run to continue; its own options are used.
        config: see TrainConfig.
    """

    preset: Literal[tuple(PRESETS)] = "default"  # type: ignore[valid-type]
    run: Path | None = None
    resume: Path | None = None
    config: Annotated[TrainConfig, tyro.conf.arg(name="")] = dataclasses.field(
        default_factory=TrainConfig
    )

    def __call__(self) -> None:
        """Run the command."""
        _wait_briefly()
        from training.train import resume, train

        if self.resume is None:
            path = train(self.config, self.run or Path("runs", self.preset))
        elif self == dataclasses.replace(Train(), resume=self.resume):
            path = resume(self.resume)
        else:
            raise ValueError(
                "--resume takes the options of the run itself; give no others with it"
            )
        print(f"checkpoint: {path}")


@dataclasses.dataclass
class Arena:
    """Measure player A against player B over duplicate pairs of deals.

    Attributes:
        a: random, easy, normal, hard, a run directory, a checkpoint or an .onnx file.
        b: the other player, given in the same way.
        pairs: duplicate pairs to play.
        seed: of the match.
        workers: threads; 0 takes all cores. The result does not depend on it.
        json: print the result as JSON.
    """

    a: Annotated[tyro.conf.Positional[str], tyro.conf.arg(metavar="A")]
    b: Annotated[tyro.conf.Positional[str], tyro.conf.arg(metavar="B")]
    pairs: int = 20_000
    seed: int = 0
    workers: int = 0
    json: bool = False

    def __call__(self) -> None:
        """Run the command."""
        from training.report import play_with_progress, print_results

        result = play_with_progress(
            self.a, self.b, self.pairs, self.seed, self.workers or None
        )
        if self.json:
            print(json.dumps(result.to_json(), indent=2))
        else:
            print_results([result])


@dataclasses.dataclass
class Export:
    """Export the policy of a run or checkpoint as an ONNX file.

    Attributes:
        checkpoint: a run directory or a checkpoint.
        out: the file to write.
    """

    checkpoint: tyro.conf.Positional[Path]
    out: Path = Path("policy.onnx")

    def __call__(self) -> None:
        """Run the command."""
        from training.export import export

        print(f"exported: {export(self.checkpoint, self.out)}")


@dataclasses.dataclass
class Watch:
    """Show one deal, A in seats 0 and 2 against B in seats 1 and 3.

    Attributes:
        a: random, easy, normal, hard, a run directory, a checkpoint or an .onnx file.
        b: the other player, given in the same way.
        seed: of the deal.
    """

    a: Annotated[tyro.conf.Positional[str], tyro.conf.arg(metavar="A")]
    b: Annotated[tyro.conf.Positional[str], tyro.conf.arg(metavar="B")]
    seed: int = 0

    def __call__(self) -> None:
        """Run the command."""
        from training.report import show_deal

        show_deal(baselines.make(self.a), baselines.make(self.b), self.seed)


@dataclasses.dataclass
class Bench:
    """Measure how fast everything is, beside its peers where they are installed.

    Attributes:
        rounds: how often what is compared is measured in turns.
        policy: player whose single decisions are timed, such as an .onnx file; by
            default an untrained network of 2 x 256, as a checkpoint and exported.
        json: print the report as JSON.
    """

    rounds: int = 9
    policy: str | None = None
    json: bool = False

    def __call__(self) -> None:
        """Run the command."""
        from training import bench

        if self.rounds < 1:
            raise ValueError(f"rounds must be at least 1, not {self.rounds}")
        report = bench.run(
            self.rounds, self.policy, lambda line: print(line, file=sys.stderr)
        )
        if self.json:
            print(json.dumps(report, indent=2))
        else:
            print(bench.table(report))


@dataclasses.dataclass
class Quickstart:
    """Train a small policy, measure it, export it, and show it play one deal.

    Attributes:
        run: directory of the run; one that is there already is continued.
        pairs: duplicate pairs against each of the three bots.
    """

    run: Path = Path("runs/quickstart")
    pairs: int = 5_000

    def __call__(self) -> None:
        """Run the command."""
        _wait_briefly()
        from training.export import export
        from training.report import play_with_progress, print_results, show_deal
        from training.train import resume, train

        print("1. Training a small policy: cloning Hard, then self-play.")
        if (self.run / CHECKPOINT).exists():
            checkpoint = resume(self.run)
        else:
            checkpoint = train(PRESETS["smoke"], self.run)
        print(
            "\n2. Measuring it against the three bots, over duplicate pairs of deals."
        )
        print_results(
            [
                play_with_progress(str(self.run), bot, self.pairs, seed=1)
                for bot in ("easy", "normal", "hard")
            ]
        )
        print("\n3. Exporting it.")
        exported = export(checkpoint, self.run / "policy.onnx")
        print("\n4. One deal: the exported policy in seats 0 and 2, Hard in 1 and 3.\n")
        show_deal(baselines.make(exported), baselines.make("hard"), seed=1)
        print(f"\nThe trained policy lies in {checkpoint},")
        print(f"and as a player for any program in {exported}.")


def _wait_briefly() -> None:
    """Let torch's threads spin briefly, then sleep; call it before torch is imported.

    By default they spin for milliseconds, which makes training many times slower on a
    machine that has other work. Sleeping at once would halve the speed of an idle one.
    """
    os.environ.setdefault("GOMP_SPINCOUNT", "2000")


def main(args: Sequence[str] | None = None) -> int:
    """Run `spades` with these arguments (the process's own by default).

    Returns the exit status: 0, or 2 after a message for a mistake of the user.
    """
    arguments = list(sys.argv[1:] if args is None else args)
    try:
        command = _parse(arguments)
        command()
    except (ValueError, OSError, ImportError, MemoryError) as error:
        print(f"spades: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("spades: interrupted", file=sys.stderr)
        return 130
    return 0


def _parse(arguments: Sequence[str]) -> Callable[[], None]:
    return tyro.cli(
        Annotated[Train, tyro.conf.subcommand("train", default=_train(arguments))]
        | Annotated[Arena, tyro.conf.subcommand("arena")]
        | Annotated[Export, tyro.conf.subcommand("export")]
        | Annotated[Watch, tyro.conf.subcommand("watch")]
        | Annotated[Bench, tyro.conf.subcommand("bench")]
        | Annotated[Quickstart, tyro.conf.subcommand("quickstart")],
        prog="spades",
        description="Spades for reinforcement learning.",
        args=arguments,
    )


def _train(arguments: Sequence[str]) -> Train:
    """The train command as its `--preset` fills it in."""
    parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    parser.add_argument("--preset")
    preset = parser.parse_known_args(arguments)[0].preset
    if preset not in PRESETS:  # absent, or wrong: then tyro says what is allowed
        preset = "default"
    return Train(preset=preset, config=PRESETS[preset])


if __name__ == "__main__":
    sys.exit(main())
