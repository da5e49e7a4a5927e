"""The command that fits a machine to measured times: `calibrate`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tailback.errors import UserError, check_readable, nearest, shown
from tailback.files import check_named, write_named

from .answering import failures, loaded, print_json, quantity_of, show, span_of
from .options import Json, app, examples

if TYPE_CHECKING:
    from tailback.experiment import Experiment as Described


@app.command(
    epilog=examples(
        "tailback calibrate osu_latency.txt --machine cluster.toml",
        "tailback calibrate osu_latency.txt osu_bw.txt --machine cluster.toml --nodes 0,17 "
        "--out fitted.toml",
        'tailback calibrate ib_write_lat.txt --machine cluster.toml --to "8 KiB" '
        "--fit machine.interface.send_overhead --fit machine.switch.delay",
    )
)
def calibrate(  # noqa: PLR0913, PLR0917  # one argument per option
    measured: Annotated[
        list[Path], typer.Argument(metavar="MEASURED...", help="Output of benchmarks, or CSV.")
    ],
    machine: Annotated[
        Path,
        typer.Option("--machine", metavar="FILE", help="Experiment file (TOML) of the machine."),
    ],
    out: Annotated[
        Path | None,
        typer.Option("--out", metavar="FILE", help="Write the file with the fitted values."),
    ] = None,
    fit: Annotated[
        list[str] | None,
        typer.Option(
            "--fit",
            metavar="KEY",
            help="Change only this key, such as machine.link.delay; repeatable.",
        ),
    ] = None,
    nodes: Annotated[
        str | None,
        typer.Option(
            metavar="A,B", help="Where the processes ran: nodes, such as 0,5 or 0-15; default: 0-1."
        ),
    ] = None,
    form: Annotated[
        str | None,
        typer.Option("--format", help="Whose output it is; default: what it looks like."),
    ] = None,
    low: Annotated[
        str, typer.Option("--from", metavar="SIZE", help="Fit to sizes from here only.")
    ] = "0 B",
    high: Annotated[
        str | None, typer.Option("--to", metavar="SIZE", help="Fit to sizes up to here only.")
    ] = None,
    json: Json = False,
) -> None:
    """Fit a machine to measured times: link rates and delays, costs of interface and software.

    Reads output of the OSU micro-benchmarks (osu_latency, osu_bw, osu_bibw, osu_allreduce and
    other collectives), of perftest (ib_write_bw, ib_write_lat, ib_send_lat) and of nccl-tests, and
    CSV with columns bytes and microseconds. Says how well the fitted machine agrees by size, and
    which keys the measured times cannot tell apart.
    """
    with failures(json, machine):
        for path in measured:
            check_readable(path)
        if out is not None:
            check_named("--out", out)
        from tailback import calibration
        from tailback.units import Size

        least = quantity_of("--from", Size, low).bytes
        most = Size.largest if high is None else quantity_of("--to", Size, high).bytes
        tables = [table for path in measured for table in calibration.read_measured(path, form)]
        experiment = loaded(machine)
        found = calibration.calibrate(
            experiment,
            tables,
            fit=fit or (),
            nodes=None if nodes is None else _nodes(nodes, experiment),
            sizes=(least, most),
        )
        if out is not None:
            changes = {name: str(value) for name, value in found.changes.items()}
            write_named("--out", out, calibration.rewritten(machine, changes, out).encode())
            loaded(out).spec("full")
        if json:
            print_json(found.to_dict() | {"written": None if out is None else str(out)})
            return
        from tailback.terminal.calibrated import calibration_report

        show(calibration_report(found))
        if out is not None:
            typer.echo(f"written: {out}")


def _nodes(text: str, experiment: Described) -> list[int]:
    """Return the numbers of nodes that an option lists by number, span or name."""
    names = {
        name: node for node, name in enumerate(experiment.machine.topology.labels.get("node", ()))
    }
    found: list[int] = []
    for word in text.split(","):
        if word in names:
            found.append(names[word])
            continue
        allowed = "must be nodes of the machine, such as 0,5 or 0-15"
        try:
            first, last = span_of("--nodes", word.strip(), allowed)
        except UserError:
            raise UserError("--nodes", shown(word), allowed, nearest(word, names)) from None
        if last < first or last >= experiment.machine.nodes:
            many = f"{allowed}; it has {experiment.machine.nodes}"
            raise UserError("--nodes", shown(word), many)
        found += range(first, last + 1)
    return found
