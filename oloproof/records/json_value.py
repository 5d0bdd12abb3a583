"""A field of a record that holds any JSON value."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BeforeValidator

from oloproof.canonical import JsonValue, to_json
from oloproof.errors import NotJsonError


def _json(value: object) -> JsonValue:
    try:
        return to_json(value, "the value")
    except NotJsonError as error:
        raise ValueError(error.what) from None


Json = Annotated[Any, BeforeValidator(_json)]
"""A field that holds any JSON value; what JSON cannot hold is refused with its path."""
