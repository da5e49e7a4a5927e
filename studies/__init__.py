"""Published experiments run again, one package per source; and how far to trust intervals.

All studies are built alike: `study` carries one out, `runs` makes its runs, keeps them and
reads them (as a `curve` or the `loads` of nodes), `claims` and `comparison` judge what is said
about them, `markdown` writes `RESULTS.md`, `page` the page with the figures.
"""
