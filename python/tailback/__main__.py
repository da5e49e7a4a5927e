"""`python -m tailback`, and the command `tailback`."""

from tailback import _end_quietly_on_ctrl_c

# For other programs that start the command, before what takes long to import.
_end_quietly_on_ctrl_c()

from tailback.cli import main  # noqa: E402

if __name__ == "__main__":
    main()
