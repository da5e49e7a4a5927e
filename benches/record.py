"""The record of a day: what was measured, on which machine."""

from __future__ import annotations

import datetime
import json
import platform
from collections.abc import Mapping
from pathlib import Path

from studies.machine import processor

RECORD = Path(__file__).parent / "record"


def add(measured: Mapping[str, object]) -> Path:
    """Add to today's record, or begin it; return its place below the present folder."""
    today = datetime.datetime.now(tz=datetime.timezone.utc).date().isoformat()
    path = RECORD / f"{today}.json"
    RECORD.mkdir(exist_ok=True)
    before = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    record = {"date": today, "processor": processor(), "python": platform.python_version()}
    text = json.dumps({**before, **record, **measured}, indent=1)
    path.write_text(text + "\n", encoding="utf-8")
    return path.relative_to(Path.cwd())
