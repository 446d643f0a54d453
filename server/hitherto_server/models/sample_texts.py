"""The 500 texts on which two builds of a model are compared: a coding agent's notes."""

from __future__ import annotations

from itertools import islice, product
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

COUNT = 500

# Each subject: a thing, the place it lives in, what goes wrong with it, and what mends that.
SUBJECTS: tuple[tuple[str, str, str, str], ...] = (
    ("login token", "auth/session.py", "expires while the page is open", "refresh it silently"),
    ("connection pool", "db/pool.go", "runs dry under load", "close cursors in a finally block"),
    ("image resizer", "media/thumbs.rs", "turns portraits sideways", "apply the EXIF rotation"),
    ("invoice total", "billing/sum.py", "is off by one cent", "keep amounts as integers of cents"),
    ("search index", "search/build.ts", "lags behind new articles", "index on commit, not nightly"),
    ("mail queue", "jobs/mail.rb", "sends the newsletter twice", "give every message its own key"),
    (
        "date picker",
        "ui/Calendar.tsx",
        "shows Monday as Sunday",
        "take the week's start from locale",
    ),
    ("docker image", "deploy/Dockerfile", "weighs two gigabytes", "copy only the built wheel"),
    ("CSV import", "tools/load_csv.py", "breaks on quoted newlines", "use the csv module's reader"),
    ("rate limiter", "api/limit.go", "counts health checks", "skip the probe's path"),
    ("dark theme", "web/theme.css", "flickers on first paint", "set the class before the body"),
    ("sqlite database", "store/open.py", "says it is locked", "let one writer own the file"),
    ("websocket client", "net/socket.ts", "never reconnects", "back off and try again for ever"),
    ("unit test", "tests/test_clock.py", "fails at midnight", "pass a fixed clock in"),
    ("Kubernetes probe", "deploy/app.yaml", "kills slow starts", "use a startup probe of a minute"),
    ("password hash", "auth/hash.rs", "takes four seconds", "lower the memory cost of argon2"),
    ("log rotation", "ops/logs.conf", "fills the disk", "compress after a day, drop after seven"),
    ("German translation", "i18n/de.json", "overflows the button", "shorten the label"),
    ("upload form", "web/upload.js", "hangs at 99 percent", "raise the proxy's body limit"),
    ("git hook", ".githooks/pre-push", "is skipped by the editor", "check in CI as well"),
    ("payment webhook", "pay/stripe.py", "arrives before the order", "retry until the row exists"),
    ("C extension", "src/fast.c", "leaks a reference", "decrement it on the error path"),
    ("map view", "app/MapScreen.kt", "drains the battery", "stop the GPS in the background"),
    ("cache key", "core/cache.py", "ignores the user's language", "add the locale to the key"),
    ("migration 0042", "migrations/0042.sql", "locks the table for an hour", "add the index apart"),
    ("type checker", "pyproject.toml", "accepts Any everywhere", "turn strict mode on"),
    (
        "recommendation model",
        "ml/train.py",
        "learns from the test set",
        "split by user, not by row",
    ),
    ("PDF export", "reports/pdf.java", "loses Cyrillic letters", "embed the font"),
    ("keyboard shortcut", "ui/keys.ts", "fires inside text fields", "ignore it while typing"),
    ("feature flag", "config/flags.yml", "is on for everyone", "roll out to five percent first"),
    ("robot arm", "firmware/servo.cpp", "overshoots its target", "lower the integral gain"),
    ("audio player", "player/mixer.swift", "clicks between tracks", "fade over ten milliseconds"),
    ("TLS certificate", "infra/caddy.conf", "lapsed on Sunday", "renew it thirty days early"),
    ("shopping cart", "shop/cart.php", "forgets coupons", "store them with the session"),
    ("message broker", "bus/kafka.scala", "replays old events", "commit offsets after the write"),
    ("regular expression", "lint/rules.py", "runs for minutes", "make the group possessive"),
    ("parser", "lang/parse.ml", "reports the wrong line", "count newlines in comments"),
    ("garbage collector", "vm/gc.zig", "pauses the game", "collect the nursery each frame"),
    ("backup script", "ops/backup.sh", "copies an empty folder", "fail when the mount is missing"),
    ("GraphQL query", "api/schema.graphql", "loads every comment", "page by cursor"),
)

# Half of them speak of two subjects, so that a text's nearest are not just its own subject's.
TEMPLATES: tuple[str, ...] = (
    "The {thing} {fault}.",
    "Who changed {place} last, the {thing} or the {other}?",
    "Decision: {mend}. Reason: otherwise the {thing} {fault}.",
    "The {thing} and the {other} share one setting; {other_mend} without breaking {place}.",
    "Fixed in {place}: the {thing} {fault}. The remedy was to {mend}, with a regression test.",
    "Before the release: {mend}, {other_mend}.",
    "When the {other} {other_fault}, look at the {thing} first.",
    "How do I stop that the {thing} {fault}?",
    "The user prefers a small change: {mend}, and leave {place} and the {other} as they are.",
    "def test_{name}():  # the {thing} {fault}, see {place}",
    (
        "Since release 3.2 customers report that the {thing} {fault} and the {other} "
        "{other_fault}, mostly on slow machines in the morning. Logs show nothing unusual, "
        "memory is flat, and a restart helps for about an hour."
    ),
    "{other_place} imports from {place}; never the other way round.",
    "Error in {place}: unexpected state of {name}",
)


def sample_texts(count: int = COUNT) -> list[str]:
    """Return `count` different texts, the same ones on every machine."""
    return list(islice(_texts(), count))


def _texts() -> Iterator[str]:
    # subjects vary fastest, so that any prefix speaks of everything
    for (turn, template), (at, subject) in product(enumerate(TEMPLATES), enumerate(SUBJECTS)):
        thing, place, fault, mend = subject
        other, other_place, other_fault, other_mend = SUBJECTS[(at + 3 * turn + 1) % len(SUBJECTS)]
        yield template.format(
            thing=thing,
            place=place,
            fault=fault,
            mend=mend,
            name=thing.lower().replace(" ", "_"),
            other=other,
            other_place=other_place,
            other_fault=other_fault,
            other_mend=other_mend,
        )
