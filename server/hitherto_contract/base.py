"""What every wire type shares: unknown fields are refused, text is real text."""

from __future__ import annotations

from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, StringConstraints


class Wire(BaseModel):
    """A value that crosses a process border; unknown fields are an error, never ignored."""

    # Building all models takes longer than answering the first hook: each is built at first use.
    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)


def clean(text: str) -> str:
    """Return the text if it can be stored, else say what is wrong with it."""
    if "\x00" in text:
        message = "text holds a NUL character"
        raise ValueError(message)
    if any("\ud800" <= character <= "\udfff" for character in text):
        message = "text holds a lone surrogate, which is no Unicode character"
        raise ValueError(message)
    return text


def not_blank(text: str) -> str:
    """Return the text unless it is nothing but white space."""
    if not text.strip():
        message = "text is empty"
        raise ValueError(message)
    return text


Name = Annotated[
    str,
    StringConstraints(min_length=1, max_length=200),
    AfterValidator(clean),
    AfterValidator(not_blank),
]
PathText = Annotated[str, StringConstraints(min_length=1, max_length=4096), AfterValidator(clean)]
MemoryId = Annotated[
    str,
    StringConstraints(
        pattern=r"^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$",
        to_lower=True,
        strip_whitespace=True,
    ),
]
