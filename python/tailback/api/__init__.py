"""The functions of Tailback for Python programs.

`load`, `describe`, `run`, `cost`, `blame`, `explain`, `interference`, `sweep`, `saturate`; of a
folder of results `table`, `plot`, `write_report`. Files and folders are given as text or as
`pathlib.Path`. A function imports what it needs when it is called: a first `cost` need not wait
for the rest.
"""
