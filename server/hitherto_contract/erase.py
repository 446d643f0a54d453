"""Erase: a text that must be nowhere any more, not even in a backup."""

from __future__ import annotations

from typing import Annotated

from pydantic import AfterValidator, Field, StringConstraints, model_validator

from hitherto_contract.base import MemoryId, Wire, clean

LEAST_CHARS = 6
"""A shorter text occurs by chance."""

ErasedText = Annotated[
    str, StringConstraints(min_length=LEAST_CHARS, max_length=20_000), AfterValidator(clean)
]


class EraseRequest(Wire):
    """Erase one memory, or a text wherever it stands; without `confirmed` it is only counted."""

    memory: MemoryId | None = None
    text: ErasedText | None = None
    confirmed: bool = False

    @model_validator(mode="after")
    def names_one_thing(self) -> EraseRequest:
        """Refuse a request that names no memory and no text, or both."""
        if (self.memory is None) == (self.text is None):
            message = "erase needs either memory or text"
            raise ValueError(message)
        return self


class EraseReply(Wire):
    """What was found of it, and, where that was confirmed, erased."""

    done: bool
    memories: list[str] = Field(default_factory=list)
    """Ids of the memories that are gone, or whose text was changed."""
    counts: dict[str, int] = Field(default_factory=dict)
    """Rows by table, and files by folder."""
    backups: list[str] = Field(default_factory=list)
    """Backups that were rewritten without it."""
    left: list[str] = Field(default_factory=list)
    """Files that may still hold it, each with the reason."""
    notes: list[str] = Field(default_factory=list)
