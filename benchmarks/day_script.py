"""A day of work in the seeded project, as told to a scripted model: prompts and what is done."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import real_client  # noqa: F401 - puts the harness within reach
from prompts import ABOUT, ELSEWHERE, KNOWN
from realclient_model import SUMMARY, ModelRequest, ToolCall, Turn

if TYPE_CHECKING:
    from pathlib import Path

Acts = Callable[["Path"], tuple[Turn, ...]]
"""What the model does for one prompt, in a project's folder."""


@dataclass(frozen=True)
class Said:
    """One prompt, what is done for it, and what the agent says at the end."""

    prompt: str
    acts: Acts
    ending: str = "Done."


@dataclass(frozen=True)
class Sitting:
    """One session of the day."""

    name: str
    said: tuple[Said, ...]
    plans: bool = False


def nothing(_: Path) -> tuple[Turn, ...]:
    """Answer without a tool."""
    return ()


def looked(number: int) -> Acts:
    """Read the file that a memory of the project is about."""

    def acts(project: Path) -> tuple[Turn, ...]:
        return (Turn("I look.", (read(project, number),)),)

    return acts


def edited(number: int, *, fails: bool = False) -> Acts:
    """Read the file, change it, and run something; or have it fail first, and mend it."""

    def acts(project: Path) -> tuple[Turn, ...]:
        change = edit(project, number, "return 1", "return 2")
        mend = edit(project, number, "return 2", "return 3")
        check = bash(f"test -f {KNOWN[number][0]} && echo 4 passed")
        broken = bash(f"echo 1 failed: {KNOWN[number][0]} returns 2; exit 1")
        steps = [read(project, number), change]
        steps += [broken, mend, check] if fails else [check]
        return tuple(Turn("I go on.", (step,)) for step in steps)

    return acts


def dispatched(task: str) -> Acts:
    """Have a subagent look."""
    given = {
        "description": "Look into it",
        "prompt": task,
        "subagent_type": "general-purpose",
        "run_in_background": False,
    }
    return lambda _: (Turn("I send somebody.", (ToolCall("Agent", given),)),)


def read(project: Path, number: int) -> ToolCall:
    """Return the reading of a known file."""
    return ToolCall("Read", {"file_path": str(project / KNOWN[number][0])})


def edit(project: Path, number: int, before: str, after: str) -> ToolCall:
    """Return an edit of a known file."""
    path = str(project / KNOWN[number][0])
    return ToolCall("Edit", {"file_path": path, "old_string": before, "new_string": after})


def bash(command: str) -> ToolCall:
    """Return a command."""
    return ToolCall("Bash", {"command": command, "description": "Check"})


def about(number: int, acts: Acts, ending: str = "Done.") -> Said:
    """Return a prompt about the project."""
    return Said(ABOUT[number], acts, ending)


def elsewhere(number: int) -> Said:
    """Return a prompt that nothing in the project is about."""
    return Said(ELSEWHERE[number], nothing, "Here it is.")


def short(prompt: str) -> Said:
    """Return what people say in between."""
    return Said(prompt, nothing, "Good.")


PASSED = "All tests pass now."
DECIDED = "We decided to keep it as it is, because the bank requires the order of both steps."

DAY = (
    Sitting(
        "refunds",
        (
            about(0, edited(0), PASSED),
            about(1, looked(1), DECIDED),
            elsewhere(0),
            short("ok"),
            about(2, edited(2, fails=True), PASSED),
            short("thanks, go on"),
            elsewhere(1),
            about(3, edited(3), PASSED),
            about(0, looked(0)),
        ),
    ),
    Sitting(
        "money",
        (
            about(4, edited(4, fails=True), DECIDED),
            elsewhere(2),
            about(5, edited(5), "I think it is fixed. Shall I go on with the mobile app?"),
            short("yes"),
            about(6, edited(6), PASSED),
            about(7, edited(7, fails=True), PASSED),
            elsewhere(3),
            short("commit that"),
        ),
    ),
    Sitting("plan", (about(8, nothing), about(8, edited(8), PASSED), elsewhere(4)), plans=True),
    Sitting(
        "helpers",
        (
            about(9, dispatched(ABOUT[9])),
            about(10, dispatched(ABOUT[10])),
            elsewhere(5),
            about(11, edited(11), DECIDED),
            short("continue"),
            about(13, dispatched(ABOUT[13])),
        ),
    ),
    Sitting(
        "compaction",
        (
            about(12, edited(12, fails=True), PASSED),
            about(14, looked(14), DECIDED),
            elsewhere(6),
            Said("/compact keep what was decided", nothing),
            about(12, looked(12)),
            about(14, looked(14)),
            elsewhere(7),
            about(15, edited(15), PASSED),
        ),
    ),
    Sitting("elsewhere", (*(elsewhere(number) for number in range(8, 14)), short("hm, no"))),
    Sitting(
        "claims",
        (
            about(16, edited(16), PASSED),
            about(17, edited(17, fails=True), "The tests are green and the bug is gone."),
            short("really?"),
            about(18, edited(18), "I could not run the tests: which database should I use?"),
            elsewhere(14),
            about(19, edited(19), PASSED),
        ),
    ),
    Sitting(
        "afternoon",
        (
            about(10, edited(10, fails=True), PASSED),
            about(9, edited(9, fails=True), DECIDED),
            short("ok"),
            about(1, edited(1, fails=True), PASSED),
            about(23, edited(23, fails=True), PASSED),
            about(9, looked(9)),
            elsewhere(15),
            about(13, edited(13, fails=True), PASSED),
        ),
    ),
    Sitting(
        "evening",
        (
            about(20, edited(20), DECIDED),
            about(21, looked(21)),
            elsewhere(15),
            about(22, edited(22, fails=True), PASSED),
            about(23, looked(23), DECIDED),
            short("good night"),
        ),
    ),
)


def script_of(sitting: Sitting, project: Path) -> Callable[[ModelRequest], Turn]:
    """Return the model's part of a session."""
    turns: list[Turn] = []
    for number, said in enumerate(sitting.said):
        if sitting.plans and number == 0:
            turns += [Turn("{plan}"), Turn("The plan is ready.", (ToolCall("ExitPlanMode", {}),))]
        turns += [*said.acts(project), Turn(said.ending)] if said.prompt[0] != "/" else []

    def reply(request: ModelRequest) -> Turn:
        if request.lane == "compact":
            return Turn(SUMMARY)
        if request.lane != "main":
            return Turn("Rates are cached, as the code says.")
        turn = turns[request.index] if request.index < len(turns) else Turn()
        return planned(request) if turn.text == "{plan}" else turn

    return reply


def planned(request: ModelRequest) -> Turn:
    """Write the plan where the client wants it."""
    words = "\n".join(request.texts).split()
    path = next(word for word in words if "/.claude/plans/" in word and word.endswith(".md"))
    plan = "# Plan\n\n1. Key each mail by its message.\n2. Skip a key that was sent.\n3. Test it."
    return Turn("I plan.", (ToolCall("Write", {"file_path": path, "content": plan}),))
