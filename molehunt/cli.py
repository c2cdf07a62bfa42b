"""The command line: one module a command, loaded when it is called, so that ``--help`` costs nothing."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Sequence
from keyword import iskeyword

import click

from molehunt.terminal import printable
from molehunt.trajectories.problem import Problem

COMMANDS = {
    "demo": "Run the whole line offline: sabotage runs, monitors, AUROC against cost.",
    "run": "An experiment from a file: agents act, monitors judge, a report follows; resumes.",
    "import": "Read everyone's transcripts into one file of JSON lines, and say what was lost.",
    "score": "Let monitors judge recorded trajectories; resumes where it stopped.",
    "report": "Metrics, figures and a report from a store or a table of scores.",
    "power": "How many tasks an interval or a comparison needs, from a pilot or from guesses.",
    "show": "Print one trajectory, its excerpts marked.",
    "fit": "Train a monitor on labelled runs: an oracle, to hold others against.",
    "merge": "Put stores together, such as the shards of one run.",
    "monitors": "List the monitors, or describe one.",
    "export": "Write a store's tables, or its verdicts into Inspect's logs or a Scout scan.",
}


class LazyGroup(click.Group):
    """A group whose commands are imported only when they are run."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        module = f"{cmd_name}_" if iskeyword(cmd_name) else cmd_name
        command = importlib.import_module(f"molehunt.commands.{module}").command
        assert isinstance(command, click.Command)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands from the table above, without importing them."""
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="molehunt", message="molehunt %(version)s")
def cli() -> None:
    """Measure how well LLM monitors catch AI agents that sabotage their work, and what that costs.

    Exit status: 0 all done; 1 nothing could be done, one line says why; 2 the command was called wrongly;
    3 done in part, the counts say how much; 130 stopped with Ctrl-C, what was done is kept.
    """


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line; a `Problem` becomes one line and exit status 1."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    command = next((word for word in words if word in COMMANDS), None)
    name = f"molehunt {command}" if command else "molehunt"
    try:
        status = cli.main(args=words, prog_name="molehunt", standalone_mode=False)
    except Problem as problem:
        _say(f"{name}: {problem}")
        sys.exit(1)
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code)
    except (click.Abort, KeyboardInterrupt):
        _say(f"{name}: stopped")
        sys.exit(130)
    except BrokenPipeError:
        # the reader of a pipe has gone (`molehunt show … | head`): nothing is wrong and nobody listens
        sys.stderr.close()
        sys.exit(0)
    except MemoryError:
        _say(f"{name}: out of memory. Give it less at a time, or a larger machine.")
        sys.exit(1)
    except OSError as error:
        _say(f"{name}: {error.filename or 'input/output'}: {error.strerror or error}")
        sys.exit(1)
    sys.exit(status if isinstance(status, int) else 0)


def _say(line: str) -> None:
    # file names and messages of others may carry control characters, which a terminal would obey
    print(printable(line, keep="\n"), file=sys.stderr)  # noqa: T201


if __name__ == "__main__":
    main()
