"""`python -m tailback`: the same as the command `tailback`."""

from tailback.cli import main

main()
