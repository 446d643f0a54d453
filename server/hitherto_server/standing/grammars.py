"""What source code defines, by the tree-sitter grammars; each is loaded when first needed."""

from __future__ import annotations

import time
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

from hitherto_server.standing.deadline import OutOfTime, spend
from hitherto_server.standing.definitions import Definition, Found, Role, matching, owned

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from tree_sitter import Language, Node, Query, Tree

ROLES: tuple[Role, ...] = ("type", "callable", "value", "container")
READ_BYTES = 64 * 1024
CHECK_EVERY = 512
# their text holds characters that are no node's: they are spelled whole
STRINGS = frozenset(
    {
        "string",
        "template_string",
        "regex",
        "string_literal",
        "raw_string_literal",
        "char_literal",
        "interpreted_string_literal",
        "rune_literal",
    }
)
TUPLES = frozenset({"tuple", "tuple_expression", "tuple_type", "tuple_pattern"})
CLOSERS = frozenset({")", "]", "}"})
# where an expression stands by itself: brackets around it are for the eye
ALONE = frozenset(
    {
        "argument_list",
        "arguments",
        "assert_statement",
        "assignment",
        "assignment_expression",
        "default_parameter",
        "keyword_argument",
        "pair",
        "return_statement",
        "variable_declarator",
    }
)
TYPE_LISTS = frozenset({"type_parameters", "type_arguments"})


@cache
def grammar(language: str) -> tuple[Language, Query]:
    """Load a grammar and the query for what it defines."""
    import tree_sitter

    loaded = tree_sitter.Language(_pointer(language))
    folder = files(__package__) / "queries"
    name = "typescript" if language == "tsx" else language
    return loaded, tree_sitter.Query(loaded, (folder / f"{name}.scm").read_text("utf-8"))


class TreeSource:
    """Source code under one grammar."""

    def __init__(self, language: str, content: bytes, deadline: float | None = None) -> None:
        self._language = language
        self._content = content
        self._deadline = deadline
        self._tree = _parse(language, content, deadline)
        self.broken = self._tree.root_node.has_error
        self._nodes: dict[tuple[int, int], Node] = {}
        self.definitions = owned(self._captures())

    def find(self, path: tuple[str, ...]) -> tuple[Definition, ...]:
        """Find the definitions whose name, with its owners, ends like this path."""
        return matching(self.definitions, path)

    def tokens(self, definition: Definition, without: Iterable[Definition] = ()) -> Iterator[str]:
        """Spell a region as its leaves, free of layout, leaving out some regions inside it."""
        node = self._nodes[definition.start, definition.end]
        holes = {(hole.start, hole.end) for hole in without}
        return self._leaves(node, holes)

    def _captures(self) -> Iterator[Found]:
        import tree_sitter

        _, query = grammar(self._language)
        wrapped: dict[tuple[int, int], Node] = {}
        # in one go: tree-sitter 0.26 crashes when a query is given a progress callback
        matches = tree_sitter.QueryCursor(query).matches(self._tree.root_node)
        spend(self._deadline)
        for _, captures in matches:
            if "wrapped" in captures:
                wrapped[captures["wrapped"][0].byte_range] = captures["wrapper"][0]
                continue
            role = next(role for role in ROLES if role in captures)
            node = captures[role][0]
            node = wrapped.get(node.byte_range, node)
            owner = self._text(captures["owner"][0]) if "owner" in captures else None
            self._nodes[node.byte_range] = node
            yield Found(role, self._text(captures["name"][0]), owner, *node.byte_range)

    def _text(self, node: Node) -> str:
        # a tree that was read piece by piece gives its nodes' text a byte at a time
        return self._content[node.start_byte : node.end_byte].decode("utf-8", "replace")

    def _leaves(self, root: Node, holes: set[tuple[int, int]]) -> Iterator[str]:
        stack: list[Node | str] = [root]
        count = 0
        while stack:
            top = stack.pop()
            count += 1
            if count % CHECK_EVERY == 0:
                spend(self._deadline)
            if isinstance(top, str):
                yield top
            elif holes and top.byte_range in holes:
                continue
            elif (leaf := self._leaf(top)) is None:
                stack.extend(reversed(_opened(top)))
            elif leaf:
                yield leaf

    def _leaf(self, node: Node) -> str | None:
        """Spell a node that is read whole, or give None for one to look into."""
        if node.type.endswith("comment"):
            return " ".join(self._text(node).split())
        if node.type in STRINGS:
            return "\n".join(line.lstrip() for line in self._text(node).splitlines())
        if node.child_count == 0:
            return " ".join(self._text(node).split())
        return None


def _pointer(language: str) -> object:
    match language:
        case "python":
            import tree_sitter_python

            return tree_sitter_python.language()
        case "javascript":
            import tree_sitter_javascript

            return tree_sitter_javascript.language()
        case "typescript":
            import tree_sitter_typescript

            return tree_sitter_typescript.language_typescript()
        case "tsx":
            import tree_sitter_typescript

            return tree_sitter_typescript.language_tsx()
        case "go":
            import tree_sitter_go

            return tree_sitter_go.language()
        case "rust":
            import tree_sitter_rust

            return tree_sitter_rust.language()
    raise LookupError(language)


def _parse(language: str, content: bytes, deadline: float | None) -> Tree:
    import tree_sitter

    def read(offset: int, _: object) -> bytes:
        return content[offset : offset + READ_BYTES]

    parser = tree_sitter.Parser(grammar(language)[0])
    try:
        return parser.parse(read, progress_callback=_stop_at(deadline))
    except ValueError as error:
        raise OutOfTime from error


def _stop_at(deadline: float | None) -> Callable[..., bool]:
    def stop(*_: object) -> bool:
        return deadline is not None and time.perf_counter() > deadline

    return stop


def _opened(node: Node) -> list[Node | str]:
    children: list[Node | str] = [*node.children]
    types = [child.type for child in node.children]
    if node.type == "block" and types[0] != "{":
        # a Python block has no brackets of its own: what belongs to it would not show
        return ["{", *children, "}"]
    if node.type == "parenthesized_expression" and _is_alone(node):
        return [child for child in node.children if child.type not in {"(", ")"}]
    is_list = types[-1] in CLOSERS or node.type in TYPE_LISTS
    if types[-2:-1] == [","] and is_list and node.type not in TUPLES:
        del children[-2]  # formatters add and drop it
    return children


def _is_alone(node: Node) -> bool:
    # `f((a, b))` hands over one value, without the brackets two
    held = {child.type for child in node.children}
    return (
        node.parent is not None and node.parent.type in ALONE and "sequence_expression" not in held
    )
