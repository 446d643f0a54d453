"""What the seeded project knows, and forty prompts: some are about it, some are not."""

# ruff: noqa: E501 - a text is one line
from __future__ import annotations

KNOWN = (
    ("src/refunds.py", "`RefundQueue` waits 90 seconds before the first retry, since the bank rejects a refund that arrives before its charge has settled."),
    ("src/ledger.py", "Ledger entries are immutable: `post_entry` never updates a row, a mistake is corrected by a reversing entry with the same reference."),
    ("src/invoices.py", "Invoice numbers come from `next_number`, which takes an advisory lock; the database sequence left gaps and the auditors complained."),
    ("src/webhooks.py", "`verify_signature` must be given the raw body: parsing and re-serialising the JSON changes the bytes and the signature no longer matches."),
    ("src/currency.py", "Amounts are integers in minor units; `to_minor` refuses floats, because 0.1 + 0.2 once cost us a cent on every third order."),
    ("src/sessions.py", "Login sessions live for 12 hours and are renewed by `touch_session`; the mobile app depends on the sliding window."),
    ("src/search.py", "The customer search falls back to trigram matching in `fuzzy_find` when the full text index returns fewer than three rows."),
    ("src/exports.py", "The nightly export streams rows with `stream_rows`: loading them all at once killed the worker at 2 GB."),
    ("src/mailer.py", "`send_mail` is idempotent by message key; the provider delivers twice when its acknowledgement is lost."),
    ("src/rates.py", "Exchange rates are cached for ten minutes by `rate_for`; the provider blocks us above 60 calls an hour."),
    ("src/tax.py", "Tax is rounded per line by `line_tax`, not per invoice: that is what the tax office's validator expects."),
    ("src/audit.py", "`audit_log` writes before the change is committed, in the same transaction, so that no change goes unlogged."),
    ("deploy/rollout.sh", "The rollout script drains a node for 45 seconds before it stops it; with less, payment callbacks were lost."),
    ("deploy/compose.yml", "Staging uses port 8443 for the gateway, because 443 is taken by the old proxy on that host."),
    ("migrations/readme.md", "Migrations that add an index to the charges table must be concurrent: a plain one locked it for eleven minutes."),
    ("tests/conftest.py", "The test suite freezes time at 2024-02-29, to catch leap-day faults in billing periods."),
    ("src/billing.py", "`billing_period` ends on the last day of the month, even if the customer signed up on the 31st."),
    ("src/disputes.py", "Disputes older than 120 days are closed by `expire_disputes`; the card networks refuse evidence after that."),
    ("src/uploads.py", "Uploaded receipts are scanned in `scan_receipt` before they are stored, since a customer once sent a macro virus."),
    ("src/limits.py", "`rate_limit` counts by account, not by address: whole offices share one address."),
    ("src/feature_flags.py", "Feature flags are read once per request by `flags_of`; reading them twice made one page half old and half new."),
    ("src/payouts.py", "Payouts run at 04:00 UTC, after the settlement file has arrived; `run_payouts` stops if the file is missing."),
    ("src/pdf.py", "The invoice PDF embeds its fonts: the printing service replaced missing ones and broke the layout."),
    ("src/queue.py", "We chose Postgres `SKIP LOCKED` for the job queue rather than a broker, to have jobs and data in one transaction."),
)  # fmt: skip

ABOUT = (
    "Refunds fail when they arrive right after the charge. How long should RefundQueue wait before it tries again?",
    "How do I correct a wrong ledger entry, can I update the row?",
    "There are gaps in our invoice numbers, where do the numbers come from?",
    "The webhook signature check fails although the secret is right, what are we doing wrong?",
    "Add a discount field, should amounts be floats or integers in minor units?",
    "How long is a login session valid, and who renews it?",
    "The customer search finds too much when a name is misspelled, why does it use trigram matching?",
    "The nightly export ran out of memory again, how does it read the rows?",
    "A customer got the same mail twice. Is send_mail idempotent?",
    "May I call the exchange rates provider for every order, or are rates cached?",
    "Is tax rounded per line or per invoice?",
    "Please write the audit log after the commit instead, or is there a reason against it?",
    "Shorten the time that the rollout script drains a node before stopping it.",
    "Which port does the gateway use on staging?",
    "Write a migration that adds an index to the charges table.",
    "Why does the test suite freeze time at a leap day?",
    "When does the billing period of a customer end who signed up on the 31st?",
    "Can we still submit evidence for disputes that are older than four months?",
    "Do we scan uploaded receipts before they are stored?",
    "Offices behind one address hit the limit: does rate_limit count by account or by address?",
    "The page was half old and half new after I toggled feature flags, how are they read?",
    "At what time do payouts run, and what do they wait for?",
    "The printed invoice PDF has the wrong fonts and a broken layout.",
    "Should we use a message broker for the job queue instead of Postgres?",
)  # fmt: skip

ELSEWHERE = (
    "Write a haiku about autumn leaves falling on a quiet pond.",
    "Convert this list of temperatures from Fahrenheit to Celsius and plot a histogram.",
    "Explain how the borrow checker treats two mutable references in Rust.",
    "Make the sidebar of the marketing site collapse on narrow screens.",
    "What is the difference between a mutex and a semaphore?",
    "Draw an ASCII diagram of a binary search tree with seven nodes.",
    "Generate a regular expression that matches IPv6 addresses.",
    "Set up a GitHub workflow that publishes documentation to a static host.",
    "Translate the onboarding text into Portuguese and keep the placeholders.",
    "Rename the variable in this snippet and tell me whether it shadows a builtin.",
    "Compare quicksort with mergesort for linked lists.",
    "Which CSS property keeps an image's aspect ratio while it is scaled?",
    "Bring the Dockerfile of the demo to a smaller base image.",
    "Summarise the plot of a novel about a lighthouse keeper.",
    "How many moons does Jupiter have, and which one is the largest?",
    "Profile the startup of the desktop client and list its slowest imports.",
)

PROMPTS = tuple(
    prompt
    for pair in zip(ABOUT, (*ELSEWHERE, *[None] * (len(ABOUT) - len(ELSEWHERE))), strict=True)
    for prompt in pair
    if prompt is not None
)
"""Both kinds in turn, as long as there are both."""

SUBJECTS = ("parser", "scheduler", "renderer", "importer", "gateway", "cache", "indexer", "router", "mixer", "sampler", "printer", "planner", "resolver", "tracker", "watcher", "encoder", "decoder", "balancer", "collector", "dispatcher")  # fmt: skip
DEEDS = ("drops", "retries", "merges", "splits", "delays", "caches", "rejects", "sorts", "compresses", "validates", "batches", "ignores", "duplicates", "rewrites", "samples", "truncates")  # fmt: skip
OBJECTS = ("frames", "tokens", "events", "headers", "chunks", "tiles", "records", "requests", "vertices", "messages", "fragments", "symbols", "packets", "samples", "leases", "manifests", "shards", "cursors")  # fmt: skip
REASONS = ("because the vendor's library leaks handles", "since the old device sends them twice", "after the outage in spring", "to keep the build reproducible", "as the benchmark showed", "until the new protocol is everywhere", "because two threads share the buffer", "so that the log stays readable", "since the disk is slow on that host", "to satisfy the type checker")  # fmt: skip
