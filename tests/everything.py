"""Imports all that commands may need; see `commands`."""

import importlib
import pkgutil

import tailback

for _module in pkgutil.walk_packages(tailback.__path__, "tailback."):
    if not _module.name.endswith("__main__"):
        importlib.import_module(_module.name)
