"""Why a stop is held up: what is claimed and not shown, or learned and not stored, in words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, assert_never

from hitherto_server.core.text import name_of, opening_of
from hitherto_server.gates.secrets import redact

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hitherto_server.judge.surfaces.claim_check import Verdict as ClaimVerdict
    from hitherto_server.judge.surfaces.turn_worth import Verdict as WorthVerdict
    from hitherto_server.sessions.prompt.reading import Speaker
    from hitherto_server.sessions.stop.learned import Learned
    from hitherto_server.sessions.stop.showing import Unshown
    from hitherto_server.store.evidence import Command, Evidence
    from hitherto_server.store.obligations import Owed

MOST_QUOTED = 140
MOST_COMMAND = 100
MOST_NAMED = 3
NOTICES: dict[Owed, str] = {"check": "block:claim-check", "store": "block:turn-worth"}
"""The names under which the hits of each are counted."""
CHECK_WORDS = {"tests": "test", "build": "build", "lint": "lint", "types": "type-checking"}
CLEARS = {
    "check": (
        "Run the check and say what it shows, or put right what you said. Asked once: whatever you "
        "answer, the next stop goes through."
    ),
    "store": (
        "If a later session would be helped by it, call `remember` with it in one to three "
        "sentences; if not, simply stop. Asked once: the next stop goes through."
    ),
}


@dataclass(frozen=True)
class Cause:
    """One reason to hold a stop up, with its evidence in words."""

    kind: Owed
    by: Speaker
    why: str

    @property
    def clears(self) -> str:
        """How it is done with."""
        return CLEARS["check" if self.kind == "check" else "store"]

    @property
    def notice(self) -> str:
        """The name under which its hits are counted."""
        return NOTICES[self.kind]


@dataclass(frozen=True)
class Ruled:
    """What the rules say of a turn's end."""

    claim: Unshown | None = None
    learned: Learned | None = None
    waits: bool = False


@dataclass(frozen=True)
class Judged:
    """What a judge said of it; undecided and None: nothing."""

    claim: ClaimVerdict = "undecided"
    worth: WorthVerdict = "undecided"
    waits: bool | None = None


def causes_of(ruled: Ruled, judged: Judged, turn: Evidence) -> tuple[Cause, ...]:
    """Decide why a stop is held up: what was judged counts, and else what the rules say."""
    waits = ruled.waits if judged.waits is None else judged.waits
    found = (_claim_cause(ruled, judged, turn), None if waits else _worth_cause(ruled, judged))
    return tuple(one for one in found if one is not None)


def _claim_cause(ruled: Ruled, judged: Judged, turn: Evidence) -> Cause | None:
    match judged.claim:
        case "shown":
            return None
        case "unshown":
            words = _unshown_words(ruled.claim) if ruled.claim else _bare_words(turn)
            return Cause("check", "judged", words)
        case _:
            return Cause("check", "rule", _unshown_words(ruled.claim)) if ruled.claim else None


def _worth_cause(ruled: Ruled, judged: Judged) -> Cause | None:
    match judged.worth:
        case "not worth":
            return None
        case "worth":
            return Cause("store", "judged", _learned_words(ruled.learned))
        case _:
            return Cause("store", "rule", _learned_words(ruled.learned)) if ruled.learned else None


def block_text(causes: Sequence[Cause]) -> str:
    """Return what the agent is told."""
    return "\n".join(f"Hitherto [{one.by}]: {one.why} {one.clears}" for one in causes)


def person_line(causes: Sequence[Cause]) -> str:
    """Return what the person is told, in a line."""
    said = {
        "check": "asked the agent to show a claim of success",
        "store": "asked the agent to store what it learned",
    }
    return f"Hitherto: {', and '.join(said[one.kind] for one in causes)}"


def _unshown_words(found: Unshown | None) -> str:
    if found is None:
        return ""
    said = f"you say “{_plain(found.claim.sentence, MOST_QUOTED)}”"
    return f"{said}, but {_speaks_against(found)}."


def _speaks_against(found: Unshown) -> str:
    """Say what the evidence is that speaks against a claim."""
    check = found.claim.check
    match found.against:
        case "failed" | "showed less":
            how = None if found.against == "failed" else "showed less than that"
            return _ended(found.command, how) if found.command else "what ran shows otherwise"
        case "changed since":
            what = (
                "nothing that could show it"
                if check is None
                else f"no {CHECK_WORDS[check]} command"
            )
            return f"{what} ran after the last change of a file"
        case "nothing ran":
            if check is None:
                return "nothing ran in this session that could show it"
            return f"no {CHECK_WORDS[check]} command ran in this session"
        case _:
            assert_never(found.against)


def _bare_words(turn: Evidence) -> str:
    """Return what speaks against a claim that only the judge has found."""
    said = "your message claims a success"
    failed = next((one for one in reversed(turn.commands) if one.failed), None)
    if failed is not None:
        return f"{said}, but {_ended(failed)}."
    if not turn.commands:
        return f"{said}, but no command ran this turn."
    ran = ", ".join(f"`{_plain(one.line, MOST_COMMAND)}`" for one in turn.commands[-MOST_NAMED:])
    return f"{said} that what ran last does not show ({ran})."


def _ended(command: Command, how: str | None = None) -> str:
    line = _plain(command.line, MOST_COMMAND)
    ended = "failed" if command.exit_code in (None, 0) else f"exited {command.exit_code}"
    last = command.tail.strip().splitlines()[-1:] or [""]
    shown = f" ({_plain(last[0], MOST_QUOTED)})" if last[0].strip() else ""
    return f"`{line}` {how or ended} when it last ran{shown}"


def _learned_words(learned: Learned | None) -> str:
    begin = "nothing of this turn is stored, and it seems worth it"
    if learned is None:
        return f"{begin}."
    if learned.mended is not None:
        mended = learned.mended
        files = ", ".join(name_of(one) for one in mended.files[:MOST_NAMED]) or "some files"
        error = _plain(mended.error, MOST_QUOTED)
        command = _plain(mended.command, MOST_COMMAND)
        return f"{begin}: `{command}` failed ({error}) and passed after a change of {files}."
    return f"{begin}: “{_plain(learned.said or '', MOST_QUOTED)}”"


def _plain(text: str, most: int) -> str:
    # it is kept with the obligation: without secrets before it is cut
    clean = redact(" ".join(opening_of(text, 4 * most).split()).replace("`", "'")).text
    short = opening_of(clean, most)
    return short if short == clean else f"{short.rstrip()} …"
