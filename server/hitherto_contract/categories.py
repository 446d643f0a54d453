"""The categories of a project, or those that hold everywhere."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, model_validator

from hitherto_contract.base import Name, Wire
from hitherto_contract.memories import Placed
from hitherto_contract.words import Scope


class CategoriesRequest(Placed):
    """List or change the categories of a scope; `name` is a path like `team/conventions`."""

    action: Literal["list", "add", "rename", "trash", "restore"] = "list"
    scope: Scope = "project"
    name: Name | None = None
    new_name: Name | None = None

    @model_validator(mode="after")
    def names_what_it_changes(self) -> CategoriesRequest:
        """Refuse a change that names no category, and a rename without the new name."""
        if self.action != "list" and self.name is None:
            message = f"{self.action} needs name"
            raise ValueError(message)
        if self.action == "rename" and self.new_name is None:
            message = "rename needs new_name"
            raise ValueError(message)
        return self


class CategoryView(Wire):
    """A category; one that has children is a container and holds no memory itself."""

    name: str
    """Its path from the top."""
    memories: int
    is_container: bool
    trashed_at_ms: int | None


class CategoriesReply(Wire):
    """All categories of the scope, as they are after what was asked for."""

    scope: Scope
    project: str | None
    categories: list[CategoryView]
    notes: list[str] = Field(default_factory=list)
