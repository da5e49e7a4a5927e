"""What `help` and `dir` show of a class: what users need, not what other modules do."""

from __future__ import annotations


class Helped(type):
    """The class of classes whose help text fits on a page.

    `dir` of such a class, from which `help` makes its text, has the public names of the class. A
    class, or a base of it, that has names in `helpful` shows these alone. All others can be used
    as ever, and `help(Machine.homes)` shows each.
    """

    def __dir__(cls) -> list[str]:
        """Return the names of the class that help texts show."""
        public = [name for name in super().__dir__() if not name.startswith("_")]
        told = [vars(base)["helpful"] for base in cls.__mro__ if "helpful" in vars(base)]
        if not told:
            return public
        wanted = {name for names in told for name in names}
        return [name for name in public if name in wanted]
