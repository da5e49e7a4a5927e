"""What all studies share: how claims are shown, how a study is carried out, how answers come."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import tailback as tb
from studies import markdown, page
from studies.claims import Claim, Statement, Wording, judged
from studies.comparison import Comparison, Printed, row_of
from studies.runs import Runs, answers
from studies.study import Study, carry_out

EXPECTED = Wording("expected", "[{}]", sources="source", contradicted="does not hold")
THESIS = Wording("the thesis", "({})", quoted=True, printed=True, sources="section")

CLAIMS: tuple[Claim[int], ...] = (
    Claim("It is even", "Us 2026", lambda n: Statement(f"{n}", n % 2 == 0), "By two."),
    Claim("It is odd", "", lambda n: Statement(f"{n}", n % 2 == 1), "By two.", remark="So?"),
    Claim("It is 3", "2.1", lambda n: Comparison("", Printed("3"), tb.Estimate.exact(n))),
)


def test_claims_are_shown_in_the_words_of_the_study() -> None:
    assert markdown.claims_table([judged(claim, 4) for claim in CLAIMS[:2]], EXPECTED) == (
        "| expected | found | verdict |\n"
        "| :-- | --: | --: |\n"
        "| It is even [Us 2026] | 4 | holds (a) |\n"
        "| It is odd | 4 | **does not hold** (b) |\n"
        "\n"
        "- (a) By two.\n"
        "- (b) By two. So?"
    )
    assert markdown.claims_table([judged(CLAIMS[2], 4)], THESIS).splitlines() == [
        "| the thesis | printed | found | verdict |",
        "| :-- | --: | --: | --: |",
        "| “It is 3” (2.1) | 3 | 4.0000 | **open** |",
    ]


def test_the_page_has_the_same_claims() -> None:
    table = page.claims_table([judged(claim, 4) for claim in CLAIMS[:2]], EXPECTED)
    assert table.columns == ("expected", "source", "found", "verdict")
    shown = [[getattr(cell, "text", cell) for cell in row] for row in table.rows]
    assert shown == [
        ["It is even", "Us 2026", "4", "holds"],
        ["It is odd", "", "4", "does not hold"],
    ]
    assert page.claim_columns(THESIS) == ("the thesis", "section", "printed", "found", "verdict")


def test_the_exit_code_says_what_became_of_a_study(capsys: pytest.CaptureFixture[str]) -> None:
    def interrupted() -> int:
        raise KeyboardInterrupt

    written = (Path("RESULTS.md"),)
    assert carry_out(lambda: 1, lambda found, _: None, written) == 0
    assert carry_out(lambda: 1, lambda found, _: found == 2, written) == 1
    assert re.fullmatch(r"(Wrote RESULTS\.md; \d+\.\d min of CPU\n){2}", capsys.readouterr().out)
    assert carry_out(interrupted, lambda *_: pytest.fail("reported"), written) == 130
    assert "no report was written" in capsys.readouterr().err


def test_answers_come_in_the_order_of_the_items() -> None:
    assert answers(abs, [-3, 2, -1], "numbers") == [3, 2, 1]


@pytest.mark.parametrize("name", ["tweedie", "adaptive", "buzzard_mudge", "paragon"])
def test_a_study_has_its_sweeps_and_its_results(name: str) -> None:
    study = Study(name)
    assert study.results.is_file()
    assert list(study.sweeps.glob("*.toml"))


def test_a_sweep_that_was_not_run_is_said_to_be_missing(tmp_path: Path) -> None:
    missing = Study(str(tmp_path))  # An absolute name replaces the folder beside the code.
    missing.sweeps.mkdir()
    source = Study("adaptive").sweeps / "mesh.toml"
    (missing.sweeps / "mesh.toml").write_bytes(source.read_bytes())
    with pytest.raises(tb.UserError, match="mesh"):
        Runs(missing).sweep("mesh")


def test_a_printed_number_is_found_by_its_name(tmp_path: Path) -> None:
    path = tmp_path / "numbers.csv"
    path.write_text("claim_id,value\nT1,3\nT2,4\n")
    assert row_of(path, "T2")["value"] == "4"
