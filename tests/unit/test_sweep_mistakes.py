"""Sweeps that cannot be run: one clear line each."""

from __future__ import annotations

import pytest

from tailback.errors import listed
from tailback.machines.presets import PRESETS
from tests.sweeps import (
    refusal,
    sweep_of,
)

PARTS = "only numbers, names, + - * / // % **, comparisons, and, or, not, in, if else, lists"
EXAMPLES = "examples: sync == 'asynchronous', 20 us / n"
SYNCS = '"asynchronous", "asynchronous_blocking" or "loosely_synchronous"'

MISTAKES = [
    ("[sweep]", "sweep: varies nothing: give values for a parameter, or seeds"),
    ("[[sweep]]\nseeds = 2", 'sweep = [{"seeds": 2}]: must be a table: [sweep]'),
    ("[swep]\nseeds = 2", "swep: unknown key; did you mean sweep?"),
    ("sead = 3", "sweep.sead: unknown key; did you mean sweep.seeds?"),
    ("workload = 3", "sweep.workload = 3: must be a table: [sweep.workload]"),
    ("let = [1]", "sweep.let = [1]: must be a table: [sweep.let]"),
    (
        "workload.raduis = [1]",
        "sweep.workload.raduis: unknown key; did you mean sweep.workload.radius?",
    ),
    (
        "machine.dims = [[4, 4]]",
        "sweep.machine.dims: is sweep.machine.topology.dims now",
    ),
    (
        "machine.topology.dim = [[4, 4]]",
        "sweep.machine.topology.dim: unknown key; did you mean sweep.machine.topology.dims?",
    ),
    (
        "machine.link.vcs = [1]",
        "sweep.machine.link.vcs: unknown key; did you mean sweep.machine.switch.virtual_channels?",
    ),
    (
        'machine.topology = ["torus"]',
        'sweep.machine.topology = ["torus"]: must be a table: [sweep.machine.topology]',
    ),
    (
        'machine.link_classes.x.rat = ["1 Gbit/s"]',
        "sweep.machine.link_classes.x.rat: unknown key; "
        "did you mean sweep.machine.link_classes.x.rate?",
    ),
    ("seeds = 2\nmix_fidelities = 1", "sweep.mix_fidelities = 1: must be true or false"),
    (
        "run.flux = [1]",
        "sweep.run.flux: unknown key; known here: seed, mode, baseline, fidelity, duration, "
        "precision, confidence, metric, warmup, sample_interval, blame, blame_share, "
        "blame_memory, packet_waits, slices, keep_messages, critical_path, slack, title, "
        "max_duration, max_events",
    ),
    (
        'run.mode = ["full"]',
        'sweep.run.mode = ["full"]: cannot be varied like a parameter; use sweep.modes = ...',
    ),
    (
        "run.seed = [1, 2]",
        "sweep.run.seed = [1, 2]: cannot be varied like a parameter; use sweep.seeds = ...",
    ),
    ("load = [0.1]", "sweep.load: unknown key; did you mean sweep.workload.load?"),
    (
        "vcs = [2]",
        "sweep.vcs: unknown key; did you mean sweep.machine.switch.virtual_channels?",
    ),
    ("seed = [2]", "sweep.seed: unknown key; did you mean sweep.seeds?"),
    # Lists.
    (
        "workload.radius = 3",
        "sweep.workload.radius = 3: must be a list of values ([3]), a range "
        "({from = 1, to = 4, step = 1}) or {computed = ...}",
    ),
    ("workload.radius = []", "sweep.workload.radius = []: is empty: there is nothing to run"),
    ("workload.radius = [1, 2, 1]", "sweep.workload.radius = 1: is there twice"),
    ("run.precision = [0.1, 0.10]", "sweep.run.precision = 0.1: is there twice"),
    ("let.x = [1, 1.0]", "sweep.let.x = 1.0: is there twice"),
    (
        'workload.compute_period = ["1 us", "1000 ns"]',
        'sweep.workload.compute_period = "1000 ns": is there twice',
    ),
    (
        'workload.compute_period = [0, "0 us"]',
        'sweep.workload.compute_period = "0 us": is there twice',
    ),
    (
        'workload.compute_period = ["1 us", "2 uss"]',
        'sweep.workload.compute_period[1] = "2 uss": unknown unit; did you mean us?',
    ),
    (
        "workload.compute_period = [nan]",
        "sweep.workload.compute_period[0] = NaN: must be a finite number",
    ),
    # Ranges.
    (
        "workload.radius = { form = 3 }",
        "sweep.workload.radius.form: unknown key; did you mean sweep.workload.radius.from?",
    ),
    (
        "workload.process.node = [3]",
        "sweep.workload.process.node: unknown key; "
        "known here: from, to, step, count, scale, digits, computed",
    ),
    ("workload.radius = { to = 3, count = 2 }", "sweep.workload.radius.from: must be given"),
    ("workload.radius = { from = 3, count = 2 }", "sweep.workload.radius.to: must be given"),
    (
        "workload.radius = { from = 3, to = 2, count = 2 }",
        "sweep.workload.radius.to = 2: must be above from = 3",
    ),
    (
        "workload.radius = { from = 2, to = 2, count = 2 }",
        "sweep.workload.radius.to = 2: must be above from = 2",
    ),
    (
        "workload.radius = { from = 1, to = 2 }",
        "sweep.workload.radius.count: must be given, or step",
    ),
    (
        'workload.radius = { from = 1, to = 2, scale = "log" }',
        "sweep.workload.radius.count: must be given",
    ),
    (
        'workload.radius = { from = 1, to = 2, scale = "lin", count = 3 }',
        'sweep.workload.radius.scale = "lin": must be "linear" or "log"; did you mean "linear"?',
    ),
    (
        'workload.radius = { from = 1, to = 2, scale = "log", step = 3 }',
        'sweep.workload.radius.step = 3: cannot be given with scale = "log"; give count',
    ),
    (
        'workload.compute_period = { from = 0, to = "2 us", count = 3, scale = "log" }',
        'sweep.workload.compute_period.from = 0: must be above zero with scale = "log"',
    ),
    (
        "workload.radius = { from = 1, to = 2, count = 1 }",
        "sweep.workload.radius.count = 1: must be a whole number, at least 2",
    ),
    (
        "workload.radius = { from = 1, to = 2, count = 2.5 }",
        "sweep.workload.radius.count = 2.5: must be a whole number, at least 2",
    ),
    (
        "workload.radius = { from = 1, to = 2, count = true }",
        "sweep.workload.radius.count = true: must be a whole number, at least 2",
    ),
    (
        "workload.radius = { from = 1, to = 2, count = 3, step = 1 }",
        "sweep.workload.radius.step = 1: cannot be given together with count",
    ),
    (
        "workload.radius = { from = 1, to = 2, step = 0 }",
        "sweep.workload.radius.step = 0: must be above zero",
    ),
    (
        "workload.radius = { from = 1, to = 2, step = 4 }",
        "sweep.workload.radius.step = 4: is longer than the whole range",
    ),
    (
        'workload.radius = { from = 1, to = 2, step = "1 us" }',
        'sweep.workload.radius.step = "1 us": must be a number, as to = 2',
    ),
    (
        'workload.compute_period = { from = "1 us", to = "2 B", count = 3 }',
        'sweep.workload.compute_period.to = "2 B": must be a time, as from = "1 us"',
    ),
    (
        'workload.compute_period = { from = "1 us", to = 2, count = 3 }',
        'sweep.workload.compute_period.to = 2: must be a time, as from = "1 us"',
    ),
    (
        'workload.compute_period = { from = 1, to = "2 us", count = 3 }',
        'sweep.workload.compute_period.to = "2 us": must be a number, as from = 1',
    ),
    (
        'workload.compute_period = { from = "1 uss", to = "2 us", count = 3 }',
        'sweep.workload.compute_period.from = "1 uss": unknown unit; did you mean us?',
    ),
    (
        'workload.compute_period = { from = "fast", to = "2 us", count = 3 }',
        'sweep.workload.compute_period.from = "fast": must be a number and a unit, such as "16 us"',
    ),
    (
        'workload.compute_period = { from = true, to = "2 us", count = 3 }',
        "sweep.workload.compute_period.from = true: "
        'must be a number or a quantity, such as "16 us"',
    ),
    (
        "run.precision = { from = 0.1, to = inf, count = 3 }",
        "sweep.run.precision.to = Infinity: must be a finite number",
    ),
    (
        'workload.compute_period = { from = "1 us", to = "2 us", count = 30, digits = 1 }',
        'sweep.workload.compute_period = "1 us": would be there twice; '
        "give a smaller count or more digits",
    ),
    (
        'workload.message_size = { from = "1 B", to = "10 B", count = 20 }',
        'sweep.workload.message_size = "1 B": would be there twice; '
        "give a smaller count or more digits",
    ),
    (
        'workload.compute_period = { from = "1 us", to = "2 us", count = 3, digits = 0 }',
        "sweep.workload.compute_period.digits = 0: must be a whole number, 1 to 9",
    ),
    (
        'workload.compute_period = { from = "1 us", to = "2 us", step = "1 us", digits = 1 }',
        'sweep.workload.compute_period.step = "1 us": cannot be given together with digits',
    ),
    (
        'workload.compute_period = { from = "0 s", to = "1 s", step = "1 ps" }',
        "sweep.workload.compute_period.step: is a range of 1,000,000,000,001 values; "
        "must be at most 1,000,000,000",
    ),
    # Modes and seeds.
    (
        "modes = []",
        'sweep.modes = []: must be a list of modes, such as ["full", "free"]',
    ),
    (
        'modes = "full"',
        'sweep.modes = "full": must be a list of modes, such as ["full", "free"]',
    ),
    (
        'modes = ["ful"]',
        'sweep.modes[0] = "ful": must be "full", "endpoints", "throttled", "free" or "ideal"; '
        'did you mean "full"?',
    ),
    ('modes = ["full", "full"]', 'sweep.modes[1] = "full": is there twice'),
    ("seeds = 0", "sweep.seeds = 0: must be 1 to 1000000000, or a list of seeds"),
    (
        "[run]\nseed = 9223372036854775807\n[sweep]\nseeds = 2",
        "sweep.seeds = 2: must be 1 to 1, or a list of seeds",
    ),
    ("seeds = []", "sweep.seeds = []: is empty: there is nothing to run"),
    ("seeds = [1, 1]", "sweep.seeds[1] = 1: is there twice"),
    ("seeds = [-1]", "sweep.seeds[0] = -1: must be a whole number from 0"),
    ("seeds = [1.5]", "sweep.seeds[0] = 1.5: must be a whole number from 0"),
    ('seeds = "3"', 'sweep.seeds = "3": must be a whole number of seeds, or a list of them'),
    ("seeds = true", "sweep.seeds = true: must be a whole number of seeds, or a list of them"),
    ('[run]\nseed = "x"\n[sweep]\nseeds = 2', 'run.seed = "x": must be a whole number'),
    (
        '[run]\nmode = "ful"\n[sweep]\nseeds = 2',
        'run.mode = "ful": must be "full", "endpoints", "throttled", "free" or "ideal"; '
        'did you mean "full"?',
    ),
    # Names of one's own.
    ("let.us = [1]", "sweep.let.us: is the name of a unit; choose another name"),
    (
        "let.radius = [1]",
        "sweep.let.radius: is the name of a parameter: workload.radius; choose another name",
    ),
    (
        "let.preset = [1]",
        "sweep.let.preset: is the name of a parameter: machine.preset or workload.preset; "
        "choose another name",
    ),
    ("let.max = [1]", "sweep.let.max: is the name of a function; choose another name"),
    ("let.in = [1]", "sweep.let.in: is a word of expressions; choose another name"),
    ("let.true = [1]", "sweep.let.true: is a word of expressions; choose another name"),
    ("let.machine = [1]", "sweep.let.machine: is the name of a table; choose another name"),
    (
        'let."a b" = [1]',
        "sweep.let.a b: must be letters, digits and _, not beginning with a digit; "
        "choose another name",
    ),
    (
        "let.n = [1, 2]",
        "sweep.let.n: is used by no computed parameter, "
        'such as workload.messages = {computed = "n"}',
    ),
    (
        'let.n = [1, 2]\nlet.m = { computed = "n" }\nexclude = ["n == 1"]',
        "sweep.let.n: is used by no computed parameter, "
        'such as workload.messages = {computed = "n"}',
    ),
    ('let.n = ["1 us", 2]', "sweep.let.n[1] = 2: must be a time, like the others"),
    ('let.n = ["1 us", "1 B"]', 'sweep.let.n[1] = "1 B": must be a time, like the others'),
    (
        'let.n = [{ a = 1 }]\nworkload.messages = { computed = "n" }',
        'with n = {"a": 1}: sweep.n = {"a": 1}: cannot be used in an expression',
    ),
    # Exclusions.
    (
        'seeds = 2\nexclude = "n == 1"',
        'sweep.exclude = "n == 1": must be a list, such as ["n == 2"]',
    ),
    (
        "seeds = 2\nexclude = [3]",
        'sweep.exclude[0] = 3: must be an expression in quotes, such as "4 / n"',
    ),
    (
        'seeds = 2\nexclude = ["true"]',
        "sweep.exclude: leaves nothing to run: it excludes everything",
    ),
    (
        'workload.radius = [1, 2]\nexclude = ["radius == 1", "radius == 2"]',
        "sweep.exclude: leaves nothing to run: it excludes everything",
    ),
    (
        'workload.radius = [1, 2]\nexclude = ["messages"]',
        'sweep.exclude[0] = "messages": is a number; must be true or false, such as n == 2',
    ),
    (
        'workload.radius = [1, 2]\nworkload.messages = [1]\nexclude = ["radius == 1 or 2"]',
        'with radius = 2: sweep.exclude[0] = "radius == 1 or 2": needs true or false, not a number',
    ),
    (
        "workload.radius = [1]\nexclude = [\"sync == 'asynchronus'\"]",
        'sweep.exclude[0] = "sync == \'asynchronus\'": workload.sync is never "asynchronus": '
        f'it must be {SYNCS}; did you mean "asynchronous"?',
    ),
    (
        "workload.radius = [1]\nexclude = [\"sync in ['asynchronous', 'foo']\"]",
        "sweep.exclude[0] = \"sync in ['asynchronous', 'foo']\": workload.sync is never \"foo\": "
        f"it must be {SYNCS}",
    ),
    (
        'let.w = ["able", "c"]\nworkload.messages = { computed = "1 if w == \'abel\' else 2" }',
        "sweep.workload.messages = \"1 if w == 'abel' else 2\": "
        'sweep.w is never "abel": it must be "able" or "c"; did you mean "able"?',
    ),
    (
        'workload.radius = [1]\nexclude = ["compute_period < 2"]',
        'sweep.exclude[0] = "compute_period < 2": cannot compare a time with a number',
    ),
    (
        'workload.radius = [1]\nexclude = ["message_size == link.rate"]',
        'sweep.exclude[0] = "message_size == link.rate": cannot compare a size with a rate',
    ),
    (
        "workload.radius = [1]\nexclude = [\"compute_period < '2 uss'\"]",
        "sweep.exclude[0] = \"compute_period < '2 uss'\": unknown unit; did you mean us?",
    ),
    (
        "workload.radius = [1]\nexclude = [\"'a' < 'b'\"]",
        "sweep.exclude[0] = \"'a' < 'b'\": cannot compare a text with a text",
    ),
    (
        "workload.radius = [1]\nexclude = [\"'a' in 'abc'\"]",
        "sweep.exclude[0] = \"'a' in 'abc'\": cannot look for a text in a text; write x in [1, 2]",
    ),
    # Computed parameters.
    (
        'workload.radius = { computed = "2", from = 3 }',
        'sweep.workload.radius = {"computed": "2", "from": 3}: is computed, '
        "so that from cannot be given as well",
    ),
    (
        "workload.radius = { computed = 2 }",
        'sweep.workload.radius = 2: must be an expression in quotes, such as "4 / n"',
    ),
    (
        'let.n = [1, 0]\nworkload.radius = [1]\nworkload.messages = { computed = "10 / n" }',
        'with n = 0: sweep.workload.messages = "10 / n": divides by zero',
    ),
    (
        'let.n = [3]\nworkload.messages = { computed = "4 / n" }',
        "with n = 3: workload.messages = 1.3333333333333333: must be a whole number",
    ),
    (
        'let.c = ["1 us"]\nworkload.compute_period = { computed = "c / 0 % us" }',
        'with c = "1 us": sweep.workload.compute_period = "c / 0 % us": divides by zero',
    ),
    (
        'let.n = [0]\nlet.m = { computed = "1 / n" }\nworkload.messages = { computed = "2 * m" }',
        'with n = 0: sweep.let.m = "1 / n": divides by zero',
    ),
]

COMPUTED_MISTAKES = [
    ("10 * us // 3", "cannot calculate a time // a number"),
    ("10 // 0 * us", "divides by zero"),
    ("0 ** -1 * us", "divides by zero"),
    ("10 * us + 1", "cannot calculate a time + a number"),
    ("1 - 10 * us", "cannot calculate a number - a time"),
    ("us + B", "cannot calculate a time + a size"),
    ("us % 2", "cannot calculate a time % a number"),
    ("2 ** us", "cannot calculate a number ** a time"),
    ("us ** 0.5", "is a root of a time"),
    ("max(us, 1)", "cannot calculate max of a time and a number"),
    ("sync * 2", "cannot calculate a text * a number"),
    ("dims + 1", "cannot calculate a list + a number"),
    ("acknowledgements + 1", "cannot calculate true or false + a number"),
    ("-sync", "cannot calculate - a text"),
    ("not us", "needs true or false, not a time"),
    ("us if sync else 2", "needs true or false, not a text"),
    ("us and true", "needs true or false, not a time"),
    (
        "compute_period * 2",
        "is computed from itself: workload.compute_period from workload.compute_period",
    ),
    ("mesages * us", "unknown name mesages; did you mean messages?"),
    (
        "workload.compute_perod",
        "unknown name workload.compute_perod; did you mean workload.compute_period?",
    ),
    ("zebra", "unknown name zebra"),
    ("sweep.zebra", "unknown name sweep.zebra"),
    ("rate", "rate may be machine.link.rate or machine.node_link.rate; write one of them"),
    ("machine.link_rate", "unknown name machine.link_rate; did you mean machine.link.rate?"),
    ("machine.vcs", "unknown name machine.vcs; did you mean machine.switch.virtual_channels?"),
    ("link.rat", "unknown name link.rat; did you mean link.rate?"),
    ("GHz + us", "cannot calculate a frequency + a time"),
    ("preset", "preset may be machine.preset or workload.preset; write one of them"),
    ("seed * us", "run.seed is not one value here; it is given by sweep.seeds"),
    ("run.mode", "run.mode is not one value here; it is given by sweep.modes"),
    ("9**9**9 * us", "gives a number that is too large"),
    ("9.5**9**9 * us", "gives a number that is too large"),
    ("1e999 * us", "gives a number that is too large"),
    ("10**60 * us", "gives a number that is too large"),
    ("us - 2 * us", "is a negative time"),
    ("0 - 1e9 * B", "is a negative size"),
    ("1e9 * s", "is above 100000 s, the largest time"),
    ("us * us", "is a quantity in s^2; a parameter is a number, a time, a size or a rate"),
    (
        "B / us / us",
        "is a quantity in s^-2 bit^1; a parameter is a number, a time, a size or a rate",
    ),
    (
        "__import__('os')",
        "unknown function __import__; "
        "known here: abs, ceil, floor, log, log10, max, min, round, sqrt",
    ),
    ("sqr(4)", "unknown function sqr; did you mean sqrt?"),
    ("sqrt(4, 3)", "gives sqrt 2 values; it takes 1"),
    ("round(1, 2, 3)", "gives round 3 values; it takes 1 to 2"),
    ("round(1.5, 0.5)", "rounds to a number of digits that is not whole, or above 30"),
    ("sqrt(-4)", "is a root of a negative number"),
    ("log(0)", "cannot calculate log of 0"),
    ("log10(-1)", "cannot calculate log10 of -1"),
    ("round(us)", "cannot calculate round of a time; write round(x / us) * us, for example"),
    ("abs(sync)", "cannot calculate abs of a text"),
    ("min()", "gives min 0 values; it takes 1 to 100"),
    ("max([])", "cannot calculate max of nothing"),
    ("sqrt", "sqrt is a function: write sqrt(...)"),
    ("[x for x in [1]]", f"must not contain [x for x in [1]]: {PARTS}"),
    ("(lambda: 1)()", f"must not contain (lambda: 1)(): {PARTS}"),
    ("sync.upper()", f"must not contain sync.upper(): {PARTS}"),
    ("dims[0]", f"must not contain dims[0]: {PARTS}"),
    ("1 | 2", f"must not contain BitOr: {PARTS}"),
    ("1j", "must not contain 1j"),
    ("None", "unknown name none; did you mean nodes?"),
    ("max(us, key=us)", "gives max 1 values; it takes 1 to 100"),
    ("2 uss", f"cannot be read (invalid syntax); {EXAMPLES}"),
    ("", f"cannot be read (invalid syntax); {EXAMPLES}"),
    ("us is 2", f"must not contain Is: {PARTS}"),
]


@pytest.mark.parametrize(("text", "expected"), MISTAKES, ids=range(len(MISTAKES)))
def test_refused_in_one_line(text: str, expected: str) -> None:
    assert refusal(text) == expected


@pytest.mark.parametrize(("expression", "expected"), COMPUTED_MISTAKES)
def test_expressions_refused_in_one_line(expression: str, expected: str) -> None:
    line = refusal(f'workload.compute_period = {{ computed = "{expression}" }}')
    place, _, problem = line.partition('": ')
    assert place.startswith('sweep.workload.compute_period = "')
    assert problem == expected or (expected == "unknown name zebra" and expected in problem)


def test_circles_are_shown() -> None:
    text = """
        workload.compute_period = { computed = "messages * us" }
        workload.messages = { computed = "compute_period / us" }
    """
    assert "is computed from itself: workload." in refusal(text)
    assert " from workload.messages" in refusal(text)
    text = """
        machine.preset = { computed = "'t9000_c104' if packet_size > 8 * B else 'wormhole_mesh'" }
    """
    assert "is computed from itself: machine.preset from machine.preset" in refusal(text)


def test_a_parameter_without_a_value_is_named() -> None:
    text = 'workload.compute_period = { computed = "radius * us" }'
    assert refusal(text) == "workload.radius: has no value of its own; give it in [workload]"
    text = 'workload.compute_period = { computed = "nodes * us" }'
    assert (
        refusal(text)
        == "machine.topology.nodes: has no value of its own; give it in [machine.topology]"
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "workload.messages = [1, 2]\nworkload.radius = [2, 99]",
            "with messages = 1, radius = 99: workload.radius = 99: "
            "must be at most 15 (the largest dimension less one)",
        ),
        (
            'workload.radius = [2, "al"]',
            'with radius = "al": workload.radius = "al": must be a whole number, or "all"',
        ),
        (
            'workload.compute_period = { computed = "B" }\nlet.n = [1]\n'
            'workload.messages = { computed = "n" }',
            'with n = 1: workload.compute_period = "1 B": must be a time, such as "16 us"',
        ),
        (
            "workload.compute_period = [1, 2]",
            "with compute_period = 1: workload.compute_period = 1: "
            'needs a unit: write "1 us" if that is meant',
        ),
        (
            "workload.compute_period = [2020-01-01]",
            'with compute_period = "2020-01-01": workload.compute_period = "2020-01-01": '
            'must be a time, such as "16 us"',
        ),
        (
            'machine.link.rate = { from = "400 Gbit/s", to = "800 Gbit/s", step = "200 Gbit/s" }\n'
            'machine.link.flit = ["1 B"]',
            'with link.rate = "600 Gbit/s", flit = "1 B": machine.link.rate = "600 Gbit/s": '
            "a flit of 1 B takes 13.3333 ps; must be a whole number of ps, or nearly (0.1 %); "
            "machine.link.flit = 3 B would do",
        ),
        (
            'machine.preset = ["t9000_c140"]\nworkload.preset = ["tweedie"]',
            'with machine.preset = "t9000_c140", workload.preset = "tweedie": '
            'machine.preset = "t9000_c140": must be '
            + listed(f'"{name}"' for name in PRESETS)
            + '; did you mean "t9000_c104"?',
        ),
        (
            'workload.kind = ["synthetic", "compute_only"]\nworkload.radius = [1]',
            'with workload.kind = "compute_only", radius = 1: workload.radius: '
            'not a key with kind = "compute_only", but with "synthetic"; '
            "known here: kind, classes, period, processes_per_node, distribution, sigma",
        ),
        # What is wrong with the base alone is not the combination's mistake.
        (
            "[run]\nprecision = 7\n[sweep]\nworkload.radius = [1]",
            "run.precision = 7: must be below 1.0",
        ),
        (
            "[workload]\nraduis = 1\n[sweep]\nmachine.topology.dims = [[2, 2]]",
            "workload.raduis: unknown key; did you mean workload.radius?",
        ),
    ],
)
def test_impossible_combinations_are_named(text: str, expected: str) -> None:
    sweep = sweep_of(text)  # only the combinations are wrong
    assert sweep.count > 0
    assert refusal(text) == expected
