"""How many secrets the gate finds, what it takes for one wrongly, and how long it takes.

The spans are of families that no rule was looked at with: half of the families were used while the
rules were written, the bars are those of the other half.
"""

from __future__ import annotations

import gzip
import json
import random
import time
from collections import Counter
from contextlib import ExitStack
from statistics import median
from typing import TYPE_CHECKING, Any

from harness import (
    SEED,
    Bar,
    at_least,
    at_most,
    begin,
    figure,
    percentile,
    read_options,
    spread,
    unmeasured,
)
from kept import kept_in, sets_in
from peer_detect_secrets import PEER, PeerFailed, scan
from prompts import DEEDS, OBJECTS, REASONS, SUBJECTS
from secret_spans import load_spans

from hitherto_server.gates.secrets import redact

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from harness import Options
    from secret_spans import Half, Span

NOTE_CHARS = 2048
NOTES, QUICK_NOTES = 400, 100
WITH_A_SECRET = 0.25
REMEMBERED, QUICK_REMEMBERED = 120, 30
LEAST_LINE = 20
PUBLIC = "secrets_dev.jsonl.gz"


def main() -> None:
    """Measure, compare with the bars, and write the result."""
    options = read_options(__doc__ or "")
    run = begin("secrets", options)
    cold_ms = timed("the first text: the gate is imported and compiled")[1]
    spans = load_spans()
    halves: tuple[Half, ...] = ("test", "development")
    found = {half: judged([one for one in spans if one.half == half]) for half in halves}
    notes = list(notes_of(spans, QUICK_NOTES if options.quick else NOTES))
    for note in notes:
        redact(note)
    wall, cpu = zip(*(timings(note) for note in notes), strict=True)
    public, public_details = measured_on_public(sets_in(options.data) / PUBLIC)
    whole, whole_details = measured_remember(options)
    peer, peer_details = measured_peer(options, [one for one in spans if one.half == "test"])
    details = {
        "spans": dict(Counter(f"{one.half} {kind_of(one)}" for one in spans)),
        "families": {
            kind: len({one.family for one in spans if kind_of(one) == kind})
            for kind in ("secret", "trap")
        },
        "found": found,
        "2 KB, wall ms": spread(wall),
        "2 KB, processor ms": spread(cpu),
        "public": public_details,
        "remember": whole_details,
        "peer": peer_details,
    }
    run.end([*bars_of(found, wall, cpu, cold_ms), *whole, *public, *peer], details)


def kind_of(span: Span) -> str:
    """Return whether a span is a secret or a trap."""
    return "secret" if span.is_secret else "trap"


def judged(spans: Sequence[Span]) -> dict[str, Any]:
    """Return what the gate did with some spans."""
    ours = [(one, redact(one.text).text) for one in spans]
    secrets = [(one, text) for one, text in ours if one.is_secret]
    traps = [(one, text) for one, text in ours if not one.is_secret]
    missed = [one for one, text in secrets if leaks(one, text)]
    false = [(one, text) for one, text in traps if text != one.text]
    kept = sum(words_around(one, text) for one, text in secrets)
    return {
        "secrets": len(secrets),
        "traps": len(traps),
        "recall": 1 - len(missed) / len(secrets),
        "false": len(false) / len(traps),
        "text around the secret kept": kept / len(secrets),
        "missed": dict(Counter(one.family for one in missed)),
        "taken wrongly": dict(Counter(one.family for one, _ in false)),
    }


def leaks(span: Span, text: str) -> bool:
    """Tell whether a secret, or a line of it, is still in the text."""
    lines = [line for line in span.value.split("\n") if not line.startswith("-----")]
    return span.value in text or any(len(one) >= LEAST_LINE and one in text for one in lines)


def words_around(span: Span, text: str) -> bool:
    """Tell whether the words beside the secret are all still there."""
    return all(piece in text for piece in span.text.replace(span.value, " ").split())


def notes_of(spans: Sequence[Span], count: int) -> Iterator[str]:
    """Make notes of 2 KB as they are remembered; a quarter of them with a secret."""
    draw = random.Random(SEED)
    traps = [one.text for one in spans if not one.is_secret]
    secrets = [one.text for one in spans if one.is_secret]
    for _ in range(count):
        parts = [draw.choice(secrets)] if draw.random() < WITH_A_SECRET else []
        while sum(map(len, parts)) < NOTE_CHARS:
            parts.append(draw.choice(traps) if draw.random() < 0.2 else sentence(draw))
        draw.shuffle(parts)
        yield "\n".join(parts)[:NOTE_CHARS]


def sentence(draw: random.Random) -> str:
    """Return a sentence as notes have them."""
    subject, deed = draw.choice(SUBJECTS), draw.choice(DEEDS)
    return f"The {subject} {deed} the {draw.choice(OBJECTS)} {draw.choice(REASONS)}."


def timed(text: str) -> tuple[float, float]:
    """Return processor and wall time of one look, in ms."""
    cpu, wall = time.thread_time(), time.perf_counter()
    redact(text)
    return (time.thread_time() - cpu) * 1000, (time.perf_counter() - wall) * 1000


def timings(text: str) -> tuple[float, float]:
    """Return wall and processor time of one look, in ms."""
    cpu, wall = timed(text)
    return wall, cpu


def measured_on_public(path: Path) -> tuple[list[Bar], dict[str, Any]]:
    """Look at lines of two scanners' own tests; the labels are those tools' findings."""
    names = ("public lines with a secret, found", "public lines without, taken wrongly")
    if not path.exists():
        reason = f"{path.name} is not in the folder: set HITHERTO_BENCH_SETS or --data"
        return [unmeasured(name, "%", None, reason) for name in names], {}
    with gzip.open(path, "rt", encoding="utf-8") as file:
        lines = [json.loads(line) for line in file]
    counts: Counter[str] = Counter()
    for line in lines:
        text = redact(line["line"]).text
        value = line.get("value")
        hit = value not in text if line["label"] and value else text != line["line"]
        counts[f"{line['source']} {line['label']}"] += 1
        counts[f"{line['source']} {line['label']} taken"] += hit
    shares = [_share(counts, str(label)) for label in (1, 0)]
    note = "a third of the former are single lines from the middle of a key block"
    return [
        figure(name, 100 * share, "%", note) for name, share in zip(names, shares, strict=True)
    ], dict(counts)


def _share(counts: Counter[str], label: str) -> float:
    both = ("credsweeper", "gitleaks")
    return sum(counts[f"{one} {label} taken"] for one in both) / sum(
        counts[f"{one} {label}"] for one in both
    )


def measured_remember(options: Options) -> tuple[list[Bar], dict[str, Any]]:
    """Time a whole `remember` of 2 KB, through a real server, with and without a secret."""
    from homes import person, serving

    spans = load_spans()
    count = QUICK_REMEMBERED if options.quick else REMEMBERED
    taken: dict[str, list[float]] = {"with": [], "without": []}
    with ExitStack() as stack:
        who = stack.enter_context(person(kept_in(options.data) / "models"))
        server = stack.enter_context(serving(who))
        for number, note in enumerate(notes_of(spans, count)):
            payload = {"content": f"Note {number}. {note}", "scope": "user"}
            began = time.perf_counter()
            reply = server.ask("/v1/remember", payload)
            kind = "with" if any("a secret was" in one for one in reply["notes"]) else "without"
            taken[kind].append((time.perf_counter() - began) * 1000)
    bars = [
        figure(f"remember of 2 KB {kind} a secret, p50", median(values), "ms")
        for kind, values in taken.items()
    ]
    return bars, {kind: spread(values) for kind, values in taken.items()}


def measured_peer(options: Options, spans: Sequence[Span]) -> tuple[list[Bar], dict[str, Any]]:
    """Let the peer look at the same texts, in the same run."""
    names = (f"{PEER}: recall", f"{PEER}: false", f"{PEER}: 2 KB, p95")
    if options.peer == "none":
        return [unmeasured(name, "", None, "no peer was asked for") for name in names], {}
    notes = list(notes_of(load_spans(), 20))
    try:
        flagged, took_ms = scan(kept_in(options.data), [one.text for one in spans], notes)
    except PeerFailed as error:
        return [unmeasured(name, "", None, str(error)) for name in names], {}
    secrets = [hit for one, hit in zip(spans, flagged, strict=True) if one.is_secret]
    traps = [hit for one, hit in zip(spans, flagged, strict=True) if not one.is_secret]
    return [
        figure(names[0], 100 * sum(secrets) / len(secrets), "%", "a finding anywhere counts"),
        figure(names[1], 100 * sum(traps) / len(traps), "%"),
        figure(names[2], percentile(took_ms, 0.95), "ms"),
    ], {"2 KB, wall ms": spread(took_ms)}


def bars_of(
    found: dict[str, dict[str, Any]],
    wall: Sequence[float],
    cpu: Sequence[float],
    cold_ms: float,
) -> list[Bar]:
    """Put each figure beside what it has to reach."""
    test, development = found["test"], found["development"]
    return [
        at_least("secrets found, test half", 100 * test["recall"], "%", 95),
        at_most("traps taken for secrets, test half", 100 * test["false"], "%", 3),
        at_most("2 KB, p95", percentile(wall, 0.95), "ms", 5),
        figure("2 KB, p50", median(wall), "ms"),
        figure("2 KB, processor time, p95", percentile(cpu, 0.95), "ms"),
        figure("the very first text", cold_ms, "ms"),
        figure("secrets found, development half", 100 * development["recall"], "%"),
        figure("traps taken, development half", 100 * development["false"], "%"),
        figure("words around secrets kept", 100 * test["text around the secret kept"], "%"),
    ]


if __name__ == "__main__":
    main()
