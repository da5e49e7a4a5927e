"""Words that users bring along: aliases, synonyms, keys of the first edition."""

from __future__ import annotations

from typing import Any

import pytest

from tailback.errors import UserError
from tailback.machines import LinkClass, machine_of
from tailback.machines.kinds import KINDED, PLAIN
from tailback.machines.words import ALIASES, FIRST_EDITION, SYNONYMS


class TestWords:
    @pytest.mark.parametrize(
        ("path", "alias"), [(path, alias) for path, words in ALIASES.items() for alias in words]
    )
    def test_aliases_mean_the_usual_word(self, path: str, alias: str) -> None:
        part, key = path.split(".")
        known = KINDED[part] if key == "kind" else None
        meant = ALIASES[path][alias]
        if known is not None:
            assert meant in known
        if meant == "graph":
            return
        tables: dict[str, Any] = {part: {key: alias}}
        if meant in ("nearest_common_ancestor",):
            tables["topology"] = {"kind": "fat_tree"}
        machine = machine_of(tables)
        found = getattr(machine, part)
        assert (found.kind if key == "kind" else getattr(found, key)) == meant
        assert machine.resolved(machine.usual_fidelity)[part][key] == meant

    @pytest.mark.parametrize("word", SYNONYMS)
    def test_synonyms_name_a_key(self, word: str) -> None:
        meant = SYNONYMS[word]
        with pytest.raises(UserError) as caught:
            machine_of({word: 1})
        named = FIRST_EDITION.get(word, meant)
        assert f"machine.{named}" in str(caught.value)
        _check_is_key(meant)

    @pytest.mark.parametrize("old", FIRST_EDITION)
    def test_keys_of_the_first_edition_name_the_new_one(self, old: str) -> None:
        with pytest.raises(UserError) as caught:
            machine_of({old: 1})
        assert str(caught.value) == f"machine.{old}: is machine.{FIRST_EDITION[old]} now"
        _check_is_key(FIRST_EDITION[old])

    @pytest.mark.parametrize(
        ("tables", "expected"),
        [
            ({"switch": {"vcs": 4}}, "did you mean machine.switch.virtual_channels?"),
            ({"link": {"bandwidth": "1 Gbit/s"}}, "did you mean machine.link.rate?"),
            ({"link": {"vcs": 2}}, "did you mean machine.switch.virtual_channels?"),
            ({"link": {"latency": "3 ns"}}, "did you mean machine.link.delay?"),
            ({"link": {"input_buffer": "3 B"}}, "did you mean machine.switch.input_buffer?"),
            ({"switch": {"flit": "3 B"}}, "did you mean machine.link.flit?"),
            ({"routing": {"algorithm": "dor"}}, "did you mean machine.routing.kind?"),
            ({"interface": {"mtu": "4 kB"}}, "did you mean machine.interface.packet_size?"),
            ({"topology": {"dim": [3]}}, "did you mean machine.topology.dims?"),
            ({"topology": {"k": 3}}, "did you mean machine.topology.dims?"),
            ({"link": {"colour": 3}}, "unknown key; known here: rate, flit, delay, width"),
            (
                {"topology": {"kind": "pod_fat_tree", "k": 4}},
                "did you mean machine.topology.switch_ports?",
            ),
            (
                {"topology": {"kind": "dragonfly", "a": 4}},
                "did you mean machine.topology.switches_per_group?",
            ),
            (  # not machine.topology.dims, which other kinds have
                {"topology": {"kind": "jellyfish", "size": 4}},
                "unknown key; known here: kind, failed_links, failed_share, failed_seed, switches",
            ),
            (  # not machine.interface.window, whose name is near
                {"topology": {"kind": "xgft", "down": [4, 4]}},
                "failed_seed, children, parents, oversubscription, level_widths",
            ),
            ({"link": 3}, "machine.link = 3: must be a table: [machine.link]"),
            (
                {"routing": "dor"},
                'machine.routing = "dor": is a table now; write machine.',
            ),
            ({"lnk": {}}, "machine.lnk: unknown key; did you mean machine.link?"),
        ],
    )
    def test_what_was_meant_is_named(self, tables: dict[str, Any], expected: str) -> None:
        with pytest.raises(UserError) as caught:
            machine_of(tables)
        assert expected in str(caught.value)
        assert "\n" not in str(caught.value)


def _check_is_key(path: str) -> None:
    """Refuse a path that no machine has."""
    part, _, key = path.partition(".")
    if part == "link_classes":
        assert key.split(".")[1] in LinkClass.key_names
        return
    if not key:
        assert part in ("clock", "preset")
        return
    kinds = [PLAIN[part]] if part in PLAIN else KINDED[part].values()
    assert key == "kind" or any(key in kind.key_names for kind in kinds), path
