"""The command that prints counters of ports: `counters`."""

from __future__ import annotations

from functools import partial
from json import dumps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tailback.csv_files import csv_text
from tailback.errors import UserError, choice, shown
from tailback.files import check_named, write_named

from .answering import Asked, Found, command, loaded
from .options import Full

if TYPE_CHECKING:
    import pyarrow as pa

    from tailback.counters import Counters

Form = Annotated[
    str | None,
    typer.Option("--as", metavar="TOOL", help="Print as perfquery, ibdiagnet or ethtool does."),
]
Table = Annotated[
    Path | None,
    typer.Option("--out", metavar="FILE", help="Write the table: .parquet, .csv or .json."),
]
Slices = Annotated[
    int | None,
    typer.Option(
        "--slices",
        metavar="N",
        help="Count by slice of time, at most so many, for --out or --json.",
    ),
]
Measured = Annotated[
    tuple[Path, Path] | None,
    typer.Option(
        "--measured",
        metavar="BEFORE AFTER",
        help="Set beside what ports counted between two files of one tool.",
    ),
]
Network = Annotated[
    Path | None,
    typer.Option(
        "--network", metavar="FILE", help="Names of LIDs and GUIDs in these: ibnetdiscover output."
    ),
]


@command(
    "tailback counters cluster.toml",
    "tailback counters cluster.toml --as perfquery",
    "tailback counters cluster.toml --slices 200 --out counters.parquet",
    "tailback counters cluster.toml --measured before.txt after.txt",
    without=("out",),
)
def counters(  # noqa: PLR0913  # one argument per option
    asked: Asked,
    *,
    form: Form = None,
    out: Table = None,
    slices: Slices = None,
    measured: Measured = None,
    network: Network = None,
    full: Full = False,
) -> Found | None:
    """Count at every port what machines count: data, packets, PortXmitWait, pauses, drops.

    Runs one contention mode (run.mode), or reads a folder of results. Ports have the names of the
    network's file.
    """
    from tailback import counters as counting
    from tailback.sending.packs import unpacked
    from tailback.terminal.counted import beside_report, counters_report

    _check(asked, form, out, slices, measured)
    if network is not None and measured is None:
        raise UserError("--network", str(network), "needs --measured")
    folder = unpacked(asked.file)
    found, by_slice, result = (
        _of_folder(asked, folder, slices) if folder.is_dir() else _of_run(asked, slices)
    )
    answer = {"ports": found.rows, "notes": list(found.notes)}
    if by_slice is not None:
        answer["slices"] = by_slice.to_pylist()
    report = partial(counters_report, found, full=full)
    if measured is not None:
        compared = counting.beside(found, *measured, network)
        answer |= {"measured": [row.to_dict() for row in compared.rows]}
        answer["not_measured"] = compared.not_measured
        report = partial(beside_report, compared, full=full)
    if out is not None:
        table = found.table if by_slice is None else by_slice
        write_named("--out", out, _FILES[out.suffix](table))
    if form is not None and not asked.json:
        typer.echo(counting.text_of(found, form), nl=False)
    else:
        asked.tell(answer, report)
    return result


def _check(
    asked: Asked,
    form: str | None,
    out: Path | None,
    slices: int | None,
    measured: tuple[Path, Path] | None,
) -> None:
    """Refuse options that do not go together, and files, before the run: none is in vain."""
    from tailback.counters import FORMS, between

    if form is not None and form not in FORMS:
        raise choice("--as", form, list(FORMS))
    for option, given in (("--as", form), ("--slices", slices)):
        if measured is not None and given is not None:
            raise UserError(option, str(given), "must not be given with --measured")
    if slices is not None and out is None and not asked.json:
        raise UserError("--slices", str(slices), "needs --out or --json, where they go")
    if out is not None:
        check_named("--out", out)
        if out.suffix not in _FILES:
            raise UserError("--out", shown(out.name), f"must end in {', '.join(_FILES)}")
    if measured is not None:
        # Which ports of the machine these are is known after the run.
        between(*measured, lambda block: (block.device, block.port))


def _of_run(asked: Asked, slices: int | None) -> tuple[Counters, pa.Table | None, Found | None]:
    from tailback import counters as counting
    from tailback.store.run_folder import tables_of

    experiment = counting.with_counters(asked.experiment(), slices)
    with asked.running() as watch:
        result = counting.run_counted(experiment, watch)
    tables = tables_of(result, packets=False)
    found = counting.counters_of(experiment, tables)
    waiting = counting.Waiting.of(result, found.ports)
    if waiting is not None:
        found = counting.counters_of(experiment, tables, waiting)
    return found, counting.sampled(experiment, found, tables, waiting), result


def _of_folder(
    asked: Asked, folder: Path, slices: int | None
) -> tuple[Counters, pa.Table | None, Found | None]:
    from tailback import counters as counting
    from tailback.sending.asked import kept_in, told_of
    from tailback.store.run_folder import read_tables

    if slices is not None:
        allowed = "needs an experiment file; of a folder there are those of run.slices"
        raise UserError("--slices", str(slices), allowed)
    if asked.overrides:
        raise UserError("--set", asked.overrides[0], "needs an experiment file, not a folder")
    with told_of(asked.file, folder):
        [kept, *_] = kept_in(folder)
        experiment = loaded(kept.file, code=not asked.no_code)
        tables = read_tables(folder, experiment.run.mode)
    found = counting.counters_of(experiment, tables)
    return found, counting.sampled(experiment, found, tables), None


def _parquet(table: pa.Table) -> bytes:
    from tailback.tables import parquet

    return bytes(parquet(table))


def _csv(table: pa.Table) -> bytes:
    rows = zip(*(column.to_pylist() for column in table.columns), strict=True)
    return csv_text(table.column_names, rows).encode()


def _json(table: pa.Table) -> bytes:
    return (dumps(table.to_pylist(), allow_nan=False) + "\n").encode()


_FILES = {".parquet": _parquet, ".csv": _csv, ".json": _json}
