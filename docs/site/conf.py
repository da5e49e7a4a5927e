"""How the site looks and what it checks; `docs/site/build.py` runs Sphinx with it."""

from tailback import __version__

project = "Tailback"
version = release = __version__
author = "The Tailback maintainers"
copyright = "The Tailback maintainers"

root_doc = "README"
extensions = ["myst_parser", "sphinx.ext.autodoc"]
exclude_patterns = ["benches", "crates", "examples", "python", "tests"]

# Pages are Markdown as on a forge: anchors are made of headings by the same rule.
myst_heading_anchors = 6
# Some pages begin below the first level; code that is quoted leaves lines out.
suppress_warnings = ["myst.header", "misc.highlighting_failure"]

# Docstrings quote code in single backticks.
default_role = "code"
autodoc_default_options = {"members": True, "member-order": "bysource"}
autodoc_typehints = "signature"
autodoc_preserve_defaults = True
maximum_signature_line_length = 80
python_use_unqualified_type_names = True
add_module_names = False

html_theme = "furo"
html_title = f"Tailback {release}"
html_copy_source = False
html_show_sourcelink = False
html_show_sphinx = False
html_theme_options = {"navigation_with_keys": True}
pygments_style = "friendly"
