"""A coding session that is played hook by hook: turns with edits, commands, plans and loops."""

from __future__ import annotations

import re
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from endurance_session import Session

if TYPE_CHECKING:
    from endurance_told import SentEvent

GIVEN = re.compile(r"^- ([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}) · ", re.MULTILINE)
ITERATION = re.compile(
    r'<hitherto-loop iteration="(\d+)">.*?^Task: (.+?)$', re.DOTALL | re.MULTILINE
)
LOOP_HAS_MOVED_ON = ("loop_runs:", "not_found: no loop")
"""Its start, or its end, came through and the answer did not."""
LOOP_BLOCKS, OTHER_BLOCKS = 30, 6
"""So often a turn goes on after its stop was blocked; more is no end."""
ACTIONS = ("edit", "succeeds", "fails", "remember", "check", "red", "red", "mend", "mend")
LAST_WORDS = ("All tests pass now.", "All tests pass.", "I have looked at it.", "Done.")
LESSON = "the runner starts in the folder above, so the package has to be named in full"
REGISTERED_TWICE = 0.15
"""Of the events so many are sent by two hooks at once, as by settings and a plugin."""
TURNS_A_COMPACTION, TURNS_A_LOOP, TURNS_A_PLAN = 0.2, 0.5, 0.25
GAVE_UP_S = {"UserPromptSubmit": 0.3, "Stop": 1.5}
OTHER_GAVE_UP_S = 0.2
"""So long does a hook wait for its server; what that says later is not heard."""


@dataclass
class Heard:
    """What one session sent, and what it was told: to be compared with what the store says."""

    blocks: list[tuple[str, str]] = field(default_factory=list)
    """Prompt and reason of each stop that was held up, loops aside."""
    iterations: list[tuple[str, str, int]] = field(default_factory=list)
    """Task, prompt and number of each iteration that was asked for."""
    given: list[str] = field(default_factory=list)
    """Memories that came with an answer."""
    plans: dict[str, bool] = field(default_factory=dict)
    """Each approved plan, and whether its hook came to its end."""
    compactions: int = 0
    maybe: Counter[str] = field(default_factory=Counter)
    """By event, the hooks of which nobody knows what became of their answer."""
    sent: list[SentEvent] = field(default_factory=list)


def may_be_lost(sent: SentEvent) -> bool:
    """Tell whether the server may have answered a hook that said nothing."""
    gave_up = sent.took_s >= GAVE_UP_S.get(sent.event, OTHER_GAVE_UP_S)
    return sent.killed or sent.paused or sent.server_killed or gave_up


@dataclass
class CodingSession(Session):
    """One session of an agent at work, with a random course of its own."""

    heard: Heard = field(default_factory=Heard)
    prompt_id: str = ""
    is_over: bool = False

    def act(self) -> None:
        """Play one turn, from the prompt to the stop that ends it."""
        self.prompt()
        if self.random.random() < TURNS_A_LOOP:
            self.start_loop()
        if self.random.random() < TURNS_A_PLAN:
            self.approve_plan()
        for _ in range(self.random.randrange(4)):
            self.use_tool()
        self.stop_until_it_ends()
        if self.random.random() < TURNS_A_COMPACTION:
            self.compact()
        self.told.took("turn", 0.0)

    def send_hook(self, event: str) -> None:
        """Run a hook on what the client would tell it, and hear its answer."""
        self.number += 1
        self.tell(event, source="startup", number=self.number)

    def tell(self, event: str, **more: Any) -> dict[str, Any]:
        """Run the hooks of an event, and return what the client would make of their answers."""
        if event not in self.place.hooks:
            return {}  # nobody listens to it
        given = {"session_id": self.name, "cwd": str(self.project), "hook_event_name": event}
        given |= {"prompt_id": self.prompt_id} if self.prompt_id else {}
        copies = 2 if self.random.random() < REGISTERED_TWICE else 1
        with ThreadPoolExecutor(copies) as pool:
            run = [pool.submit(self.run_hook, event, {**given, **more}) for _ in range(copies)]
            answers = [one.result() for one in run]
        for sent, said in answers:
            self.heard.sent.append(sent)
            self.heard.maybe[event] += not said and may_be_lost(sent)
            context = said.get("hookSpecificOutput", {}).get("additionalContext", "")
            self.heard.given += GIVEN.findall(context)
        blocks = [said for _, said in answers if said.get("decision") == "block"]
        return blocks[0] if blocks else {}

    def prompt(self) -> None:
        """Ask something that memories may be about, new or once more."""
        self.number += 1
        self.prompt_id = f"{self.name}-p{self.number}"
        self.tell("UserPromptSubmit", prompt=self.next_text("is asked"))

    def use_tool(self) -> None:
        """Edit a file, run a command that succeeds or fails, or store a memory."""
        match self.random.choice(ACTIONS):
            case "edit":
                self.edit_file()
            case "mend":
                self.mend()
            case "remember":
                self.remember()
            case "fails":
                error = f"KeyError: 'step_{self.number}'"
                self.fail_command(f"python step.py {self.number}", error)
            case "red":
                self.fail_command("pytest -q", "2 failed, 10 passed in 0.31s")
            case "succeeds":
                self.run_command(f"python step.py {self.number - 1}", "ok")
            case _:
                self.run_command("pytest -q", "12 passed in 0.31s")

    def run_command(self, line: str, output: str) -> None:
        """Run a command that succeeds."""
        self.number += 1
        answer = {"stdout": output, "stderr": "", "interrupted": False}
        self.tell(
            "PostToolUse",
            tool_name="Bash",
            tool_input={"command": line},
            tool_response=answer,
            tool_use_id=f"toolu_{self.name}{self.number}",
        )

    def edit_file(self) -> None:
        """Change a file of the project."""
        self.number += 1
        file = str(self.project / "notes.md")
        edit = {"file_path": file, "old_string": "", "new_string": str(self.number)}
        call = f"toolu_{self.name}{self.number}"
        self.tell("PostToolUse", tool_name="Edit", tool_input=edit, tool_use_id=call)

    def mend(self) -> None:
        """Run a command that fails, change something, and run it once more."""
        line = f"python -m job{self.number}"
        self.fail_command(line, f"ModuleNotFoundError: No module named 'job{self.number}'")
        self.edit_file()
        self.run_command(line, "ok")

    def fail_command(self, line: str, output: str) -> None:
        """Run a command that fails."""
        self.number += 1
        self.tell(
            "PostToolUseFailure",
            tool_name="Bash",
            tool_input={"command": line},
            error=f"Exit code 1\n{output}",
            tool_use_id=f"toolu_{self.name}{self.number}",
        )

    def approve_plan(self) -> None:
        """Have a plan approved: a new one, or the last one edited, in the same file."""
        self.number += 1
        plan = f"# Plan of {self.name}\n\n1. Do step {self.number}.\n2. Check it.\n"
        self.heard.plans.setdefault(plan, False)
        file = f"/plans/{self.name}-{self.number // 40}.md"
        answer = {"plan": plan, "filePath": file}
        before = len(self.heard.sent)
        self.tell(
            "PostToolUse",
            tool_name="ExitPlanMode",
            tool_input={},
            tool_response=answer,
            tool_use_id=f"toolu_{self.name}{self.number}",
        )
        self.heard.plans[plan] |= any(not one.killed for one in self.heard.sent[before:])

    def start_loop(self) -> None:
        """Start a loop, unless one goes on."""
        self.number += 1
        task = f"Work at step {self.number} of {self.name}."
        iterations = self.random.randrange(2, 12)
        self.ask("loop", action="start", task=task, iterations=iterations)

    def stop_until_it_ends(self) -> None:
        """Stop, and do what is asked for as long as stops are blocked."""
        for _ in range(LOOP_BLOCKS + OTHER_BLOCKS):
            said = self.tell("Stop", last_assistant_message=self.last_words())
            if not said:
                return
            asked = ITERATION.search(said["reason"])
            if asked is None:
                self.heard.blocks.append((self.prompt_id, said["reason"]))
                self.comply()
            else:
                self.heard.iterations.append((asked[2], self.prompt_id, int(asked[1])))
                self.iterate()
        self.told.find_stuck(f"{self.name} was not let go: {said['reason'][:300]}")

    def last_words(self) -> str:
        """Return what the agent says at the end of its turn."""
        self.number += 1
        ends = (
            *LAST_WORDS,
            f"The job failed because its module lay outside of the path: {LESSON}.",
        )
        return f"Turn {self.number} of {self.name}. {self.random.choice(ends)}"

    def comply(self) -> None:
        """Do what a block asks for, or say why not."""
        if self.random.random() < 0.5:
            self.remember()
        if self.random.random() < 0.5:
            self.run_command("pytest -q", "12 passed in 0.31s")

    def judge_refusal(self, said: str) -> None:
        """Count a refusal; of a loop it may be that one goes on, or that none does any more."""
        if said.startswith(LOOP_HAS_MOVED_ON):
            self.told.refuse(said.partition(":")[0])
        else:
            super().judge_refusal(said)

    def iterate(self) -> None:
        """Do an iteration of a loop."""
        match self.random.choices(["update", "command", "nothing", "done"], [5, 3, 2, 1]):
            case ["update"]:
                self.ask("loop", action="update", note=f"Did {self.number}.")
            case ["command"]:
                self.run_command(f"make step{self.number}", "ok")
            case ["done"]:
                self.ask("loop", action="update", state="done")
            case _:
                pass

    def compact(self) -> None:
        """Compact the context, or begin to and don't."""
        self.number += 1
        self.tell("PreCompact", trigger="auto", custom_instructions=str(self.number))
        if self.random.random() < 0.2:
            return
        self.heard.compactions += 1
        self.tell("SessionStart", source="compact", number=self.number)
        self.tell("PostCompact", trigger="auto", compact_summary=f"Summary {self.number}.")

    def settle_debts(self) -> None:
        """Do all that can be owed: store something, and run the checks."""
        self.prompt()
        self.run_command("pytest -q", "12 passed in 0.31s")
        self.run_command("make check", "all checks passed")
        self.remember()
        self.stop_until_it_ends()

    def finish(self) -> None:
        """End the session as a person does."""
        self.number += 1
        self.tell("SessionEnd", reason="other", number=self.number)
        self.is_over = True
