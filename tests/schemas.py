"""The JSON Schema of experiment files, made once for all tests."""

from __future__ import annotations

import jsonschema

from tailback.experiment import json_schema

SCHEMA = json_schema()
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)
