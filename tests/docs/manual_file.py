"""The manual as the commands describe themselves; `make manual` writes it by this."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from typer.main import get_command

from hitherto_contract import VERSION
from hitherto_server.cli import app_of

if TYPE_CHECKING:
    from collections.abc import Iterator

DOCS = Path(__file__).parents[2] / "docs"
MARKDOWN = DOCS / "manual.md"
ROFF = DOCS / "man" / "hitherto.1"
EXIT_CODES = (
    ("0", "It was done. For `doctor`: there is no fault; otherwise 1."),
    ("1", "It failed, for the reason on stderr; without one, nobody reads its output any more."),
    ("2", "What was asked is wrong in itself (`invalid_input`); nothing was done."),
    ("130", "It was interrupted (Ctrl-C)."),
)


@dataclass(frozen=True)
class Parameter:
    """An argument or an option, as it is written, and what it means."""

    written: str
    means: str


@dataclass(frozen=True)
class Page:
    """One command."""

    name: str
    usage: str
    told: tuple[str, ...]
    parameters: tuple[Parameter, ...]


def list_pages() -> list[Page]:
    """Return every command that does something, in the order of `hitherto --help`."""
    return list(_pages(get_command(app_of()), "hitherto"))


def _pages(command: Any, name: str) -> Iterator[Page]:
    if hasattr(command, "commands"):
        for child in command.commands.values():
            yield from _pages(child, f"{name} {child.name}")
        return
    told = tuple(" ".join(one.split()) for one in (command.help or "").split("\n\n"))
    shown = [param for param in command.params if not param.hidden]
    arguments = " ".join(_argument(one) for one in shown if one.param_type_name == "argument")
    options = " [OPTIONS]" if any(one.param_type_name == "option" for one in shown) else ""
    usage = f"{name}{options} {arguments}".strip()
    yield Page(name, usage, told, tuple(_parameter(one) for one in shown))


def _argument(param: Any) -> str:
    name = str(param.metavar or param.name.upper()).strip("[]")
    name = f"{name}..." if param.nargs == -1 else name
    return name if param.required else f"[{name}]"


def _parameter(param: Any) -> Parameter:
    choices = " | ".join(getattr(param.type, "choices", ()))
    if param.param_type_name == "argument":
        return Parameter(_argument(param), _sentence(param.help, choices))
    names = ", ".join([*param.opts, *param.secondary_opts])
    value = "" if param.is_flag else f" {param.metavar or param.name.upper()}"
    default = "" if param.is_flag or param.default in (None, ()) else f" Default: {param.default}."
    return Parameter(f"{names}{value}", f"{_sentence(param.help, choices)}{default}")


def _sentence(text: str | None, choices: str) -> str:
    said = text or ""
    return f"{said} One of: {choices}." if choices else said


def markdown() -> str:
    """Return docs/manual.md."""
    lines = [
        "# Manual",
        "",
        "`make manual` writes it from the commands themselves. How they behave in pipes, scripts",
        "and trouble: [cli.md](cli.md).",
    ]
    for page in list_pages():
        lines += ["", f"## {page.name}", "", f"    {page.usage}"]
        for told in page.told:
            lines += ["", told]
        if page.parameters:
            lines += ["", "| | |", "|---|---|"]
            lines += [f"| `{one.written}` | {_cell(one.means)} |" for one in page.parameters]
    lines += ["", "## Exit codes", "", "| code | means |", "|---|---|"]
    lines += [f"| {code} | {_cell(means)} |" for code, means in EXIT_CODES]
    return "\n".join([*lines, ""])


def _cell(text: str) -> str:
    return re.sub(r"(?<!`)\|(?!`)", r"\\|", text)


def roff() -> str:
    """Return docs/man/hitherto.1."""
    lines = [
        f'.TH HITHERTO 1 "" "hitherto {VERSION}"',
        ".SH NAME",
        r"hitherto \- local memory for coding agents",
        ".SH SYNOPSIS",
        r".B hitherto",
        "COMMAND [OPTIONS] [ARGUMENTS]",
        ".SH COMMANDS",
    ]
    for page in list_pages():
        lines += [".SS " + _roff(page.usage)]
        for told in page.told:
            lines += [".PP", _roff(told)]
        for one in page.parameters:
            lines += [".TP", f".B {_roff(one.written)}", _roff(one.means)]
    lines += [".SH EXIT STATUS"]
    for code, means in EXIT_CODES:
        lines += [".TP", f".B {code}", _roff(means)]
    return "\n".join([*lines, ""])


def _roff(text: str) -> str:
    plain = text.replace("\\", r"\e").replace("-", r"\-").replace("`", "")
    return rf"\&{plain}" if plain[:1] in {".", "'"} else plain


def main() -> None:
    """Write both."""
    ROFF.parent.mkdir(exist_ok=True)
    MARKDOWN.write_text(markdown(), encoding="utf-8")
    ROFF.write_text(roff(), encoding="utf-8")


if __name__ == "__main__":
    main()
