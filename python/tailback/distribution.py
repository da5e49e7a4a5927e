"""What Tailback is called where libraries are installed from."""

from __future__ import annotations

#: `tailback` is another project's name on the Python Package Index.
DISTRIBUTION = "tailback-sim"


def installing(extra: str) -> str:
    """Return the command that installs what Tailback needs for more: the extra of this name."""
    return f'pip install "{DISTRIBUTION}[{extra}]"'
