"""From the tables of a file to a machine: presets, kinds, layers, misspelled keys."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ..entry_points import Kinds
from ..errors import NoEffectError, UserError, choice, joined, nearest, shown
from ..parts import Part, fields_of, meant_by
from .kinds import KINDED, PLAIN
from .letters import LOGGOPS, LOGGP, spelled_out
from .link import LinkClass
from .machine import Machine
from .presets import OF_THEIR_TIME, OF_TODAY, PRESETS
from .routing import Routing
from .topologies import DEFAULT_TOPOLOGY, TOPOLOGIES, Topology
from .words import ALIASES, FIRST_EDITION, SYNONYMS

Tables = Mapping[str, Any]

#: All tables below ``machine``, in the order of a file.
PARTS = (
    "topology",
    "link",
    "node_link",
    "link_classes",
    "hosts",
    "switch",
    "routing",
    "interface",
    "loggops",
)

#: Tables whose keys depend on the topology alone, and the keys that decide on it.
_BY_TOPOLOGY = ("topology", "link_classes")
_DECIDE_TOPOLOGY = {("topology", "kind"), ("", "preset")}

#: Keys that decide which others have an effect.
_SELECTORS = frozenset(
    (
        "kind",
        "switching",
        "forwarding",
        "pause",
        "integrated",
        "flow_control",
        "unit",
        "acknowledgements",
        "preset",
    )
)


_NO_EFFECT = "has no effect"


def machine_of(given: Tables, changes: Tables | None = None) -> Machine:
    """Return the machine that tables describe: a preset, refined by them, then by ``changes``.

    Keys of a preset that mean nothing beside the others are left out, and where ``changes``
    select another kind (or switching, ...) those of ``given`` that mean nothing then.
    Raises `UserError`.
    """
    given, changes = _usual(_plain_tables(given)), _usual(_plain_tables(changes or {}))
    check_keys(given)
    check_keys(changes)
    table = refined(given, changes)
    name = table.get("preset")
    preset: Tables = {}
    if name is not None:
        if not isinstance(name, str) or name not in PRESETS:
            raise choice("machine.preset", name, PRESETS)
        preset = PRESETS[name] if name in OF_TODAY else refined(OF_THEIR_TIME, PRESETS[name])
    own = {key: value for key, value in table.items() if key != "preset"}
    selects = any(key in _SELECTORS for _, key in _paths(changes))
    said = set(_paths(own))
    firm = set(_paths(changes)) if selects else said
    tables = _fitting(refined(preset, own), firm)
    while True:
        try:
            return _made(tables)
        except UserError as error:
            # The engine refuses some keys that have no effect.
            if not isinstance(error, NoEffectError) and not error.allowed.startswith(_NO_EFFECT):
                raise
            part, key = error.field.split(".")[1:3]
            is_kept = part in _BY_TOPOLOGY and not firm & _DECIDE_TOPOLOGY
            if (part, key) in firm or (is_kept and (part, key) in said):
                raise
            # A value that the user did not give follows from other keys of the part.
            loose = (
                [key] if key in tables[part] else [k for k in tables[part] if (part, k) not in firm]
            )
            if not loose:
                raise
            for name in loose:
                del tables[part][name]


def _plain_tables(tables: Tables) -> dict[str, Any]:
    """Return tables with parts as tables too, without keys that are None: left out is as good."""
    found: dict[str, Any] = {}
    for key, value in tables.items():
        if isinstance(value, Part):
            kind = {"kind": value.kind} if isinstance(value, Topology | Routing) else {}
            found[key] = {**kind, **value.given()}
        elif value is not None:
            found[key] = _plain_tables(value) if isinstance(value, Mapping) else value
    return found


def _usual(tables: dict[str, Any]) -> dict[str, Any]:
    """Return tables with the usual words for letters of LogGP and its like."""
    found = dict(tables)
    for name, letters in (("interface", LOGGP), ("loggops", LOGGOPS)):
        table = tables.get(name)
        if isinstance(table, Mapping):
            found[name] = spelled_out(table, f"machine.{name}", letters)
    return found


def refined(lower: Tables, upper: Tables) -> dict[str, Any]:
    """Return the tables of ``lower`` with those of ``upper`` laid over them.

    Where ``upper`` has a kind, keys of ``lower`` that it does not have go.
    """
    found: dict[str, Any] = {**lower}
    for name, value in upper.items():
        below = lower.get(name)
        if not isinstance(value, Mapping) or not isinstance(below, Mapping):
            found[name] = value
            continue
        kept = below
        if name in KINDED and "kind" in value:
            kept = _of_kind(name, canonical(f"{name}.kind", value["kind"]), below)
        if name == "link_classes":
            classes = {key: {**below.get(key, {}), **one} for key, one in value.items()}
            found[name] = {**below, **classes}
        else:
            found[name] = {**kept, **value}
    return found


def check_keys(given: Tables) -> None:
    """Refuse what is no table or key of a machine of any kind, with the one that was meant."""
    for name, value in given.items():
        if name in ("preset", "clock"):
            continue
        if name not in PARTS:
            raise _unknown(name)
        if not isinstance(value, Mapping):
            path = f"machine.{name}"
            if name in KINDED and isinstance(value, str):
                raise UserError(path, shown(value), f"is a table now; write {path}.kind")
            raise UserError(path, shown(value), f"must be a table: [{path}]")
        for key in value:
            if name != "link_classes" and key not in known_keys(name):
                raise _unknown(key, name, canonical(f"{name}.kind", value.get("kind")))


def known_keys(part: str) -> tuple[str, ...]:
    """Return the keys that a table of a machine may have, for all its kinds."""
    if part in PLAIN:
        return PLAIN[part].key_names
    if part == "link_classes":
        return LinkClass.key_names
    kinds = KINDED[part].values()
    return tuple(dict.fromkeys(("kind", *(key for kind in kinds for key in kind.key_names))))


def canonical(path: str, word: Any) -> Any:
    """Return the usual word for one of its aliases."""
    return ALIASES.get(path, {}).get(word, word) if isinstance(word, str) else word


def _paths(tables: Tables) -> Iterator[tuple[str, str]]:
    """Yield part and key of everything in tables of a machine."""
    for name, value in tables.items():
        if isinstance(value, Mapping):
            yield from ((name, key) for key in value)
        else:
            yield "", name


def _of_kind(part: str, kind: Any, table: Tables) -> dict[str, Any]:
    """Return the keys of a table that a kind has too."""
    known = KINDED[part].get(kind) if isinstance(kind, str) else None
    keys = () if known is None else known.key_names
    return {key: value for key, value in table.items() if key in keys}


def _fitting(tables: dict[str, Any], firm: set[tuple[str, str]]) -> dict[str, Any]:
    """Return tables without what is left over from other kinds and was not given firmly."""
    found = {
        name: dict(value) if isinstance(value, Mapping) else value for name, value in tables.items()
    }
    topology = found.get("topology", {})
    kind = canonical("topology.kind", topology.get("kind", DEFAULT_TOPOLOGY))
    routing = found.get("routing")
    if isinstance(routing, dict) and ("routing", "kind") not in firm and _is_topology(kind):
        word = canonical("routing.kind", routing.get("kind"))
        if word is not None and word not in TOPOLOGIES[kind].routings:
            # A preset's routing is not that of another topology.
            found["routing"] = {k: v for k, v in routing.items() if ("routing", k) in firm}
    return found


def _is_topology(kind: object) -> bool:
    return isinstance(kind, str) and kind in TOPOLOGIES


def _made(tables: Tables) -> Machine:
    """Return the machine of complete tables."""
    values: dict[str, Any] = {}
    if "clock" in tables:
        values["clock"] = tables["clock"]
    for name, part in PLAIN.items():
        if name in tables:
            values[name] = _plain_part(name, part, tables[name])
    if "link_classes" in tables:
        values["link_classes"] = {
            name: _class_of_links(name, one) for name, one in tables["link_classes"].items()
        }
    topology = _kinded("topology", tables.get("topology", {}), DEFAULT_TOPOLOGY)
    values["topology"] = topology
    routing = tables.get("routing", {})
    if routing:
        if not topology.routings:
            key = next(iter(routing))
            problem = f'has no effect with machine.topology.kind = "{topology.kind}": one way only'
            raise NoEffectError(f"machine.routing.{key}", shown(routing[key]), problem)
        # The usual one of a network from a file depends on the file.
        default = "" if "kind" in routing else topology.default_routing()
        values["routing"] = _kinded("routing", routing, default)
    return Machine(**values)


def _plain_part(name: str, part: type[Part], table: Any) -> Part:
    return part(**{key: canonical(f"{name}.{key}", value) for key, value in table.items()})


def _class_of_links(name: str, table: Any) -> LinkClass:
    section = f"machine.link_classes.{name}"
    if not isinstance(table, Mapping):
        raise UserError(section, shown(table), f"must be a table: [{section}]")
    for key in table:
        if key not in LinkClass.key_names:
            raise _unknown(key, f"link_classes.{name}")
    try:
        return LinkClass(**table)
    except UserError as error:
        field = error.field.replace("machine.link_classes", section)
        raise UserError(field, error.given, error.allowed, error.nearest) from None


def _kinded(name: str, table: Any, default: str) -> Any:
    """Return the object of a table whose kind names its class."""
    kind = canonical(f"{name}.kind", table.get("kind", default))
    kinds = KINDED[name]
    if not isinstance(kind, str) or kind not in kinds:
        words = kinds.words() if isinstance(kinds, Kinds) else kinds
        raise choice(f"machine.{name}.kind", kind, words)
    known = kinds[kind].key_names
    for key in table:
        if key != "kind" and key not in known:
            raise _not_of_kind(name, kind, key)
    for key, field in fields_of(kinds[kind]).items():
        if field.is_required() and key not in table:
            beside = f'machine.{name}.kind = "{kind}"'
            raise UserError(f"machine.{name}.{key}", None, f"must be given with {beside}")
    return kinds[kind](**{key: value for key, value in table.items() if key != "kind"})


def _not_of_kind(part: str, kind: str, key: str) -> UserError:
    """Return the mistake of giving a key that this kind does not have, but others have."""
    having = [word for word, made in KINDED[part].items() if key in made.key_names]
    words = " or ".join(f'"{word}"' for word in having)
    problem = f'has no effect with machine.{part}.kind = "{kind}"; needs kind = {words}'
    return NoEffectError(f"machine.{part}.{key}", None, problem)


def _unknown(key: str, part: str = "", kind: object = None) -> UserError:
    """Return the mistake of a key that no machine has, with the one that was meant.

    If none was, and the kind of the part is known, those of this kind are listed.
    """
    field = joined("machine", part, key or '""')
    known: tuple[str, ...] = (*PARTS, "preset", "clock")
    if part:
        known = known_keys(part.partition(".")[0])
        close = None if key.lower() in SYNONYMS else nearest(key, known)
        if close is not None:
            return UserError(field, None, "unknown key", f"machine.{part}.{close}")
    moved = FIRST_EDITION.get(key) if not part else None
    if moved is not None:
        return UserError(field, None, f"is machine.{moved} now")
    of_kind = KINDED[part].get(kind) if part in KINDED and isinstance(kind, str) else None
    own = None if of_kind is None else meant_by(of_kind, key.lower())
    if own is not None:
        return UserError(field, None, "unknown key", own)
    meant = SYNONYMS.get(key.lower())
    if of_kind is not None and meant is not None and meant.startswith(f"{part}."):
        meant = None  # of another kind
    if meant is None:
        meant = _with_key(key, exactly=of_kind is not None)
    if meant is None and not part:
        meant = nearest(key, known)
    if meant is not None:
        return UserError(field, None, "unknown key", f"machine.{meant}")
    if of_kind is not None:
        known = ("kind", *of_kind.key_names)
    return UserError(field, None, f"unknown key; known here: {', '.join(known)}")


def _with_key(key: str, exactly: bool) -> str | None:
    """Return the path of a key that another table has, by that name or (not ``exactly``) nearly."""
    paths = {name: f"{part}.{name}" for part in reversed(PARTS) for name in known_keys(part)}
    if exactly:
        return paths.get(key)
    close = nearest(key, paths)
    return None if close is None else paths[close]
