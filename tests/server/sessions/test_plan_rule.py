"""What goes against a decision, by rule: another tool, another amount, what is to stay."""

from __future__ import annotations

import pytest

from hitherto_server.sessions.plan.reading import read_plan
from hitherto_server.sessions.plan.rule import goes_against


@pytest.mark.parametrize(
    ("plan", "decision"),
    [
        ("# Caching\n1. Put Memcached in front of the prices", "We use Redis for caches."),
        ("1. Use Poetry for the new package\n2. Publish from CI", "We use uv in all packages."),
        ("# Tests\n- Replace Cypress with Playwright", "We test with Cypress."),
        ("Plan: uploads\n- Accept files up to 50 MB", "Uploads are limited to 20 MB."),
        ("Retry policy\n1. Try five times", "A call is retried at most three times."),
        ("Logs\n- Delete log files older than 10 days", "Log files are kept for 14 days."),
        (
            "Cleanup\n1. Remove `old_export` and its tests",
            "`old_export` must not be removed before June.",
        ),
        (
            "CI\n1. Drop the nightly job",
            "The nightly job is what finds leaks; it has to keep running.",
        ),
    ],
)
def test_a_step_that_does_otherwise_goes_against_a_decision(plan: str, decision: str) -> None:
    assert goes_against(read_plan(plan), decision) is not None


@pytest.mark.parametrize(
    ("plan", "decision"),
    [
        ("# Caching\n1. Keep entries for an hour", "Entries live for two hours at most."),
        ("# Tests\n- Replace Cypress with Playwright", "Cypress goes, Playwright comes."),
        ("Retry policy\n1. Wait 2 s between attempts", "Wait at least 1 second between attempts."),
        ("Plan: uploads\n- Accept files up to 50 MB", "A request is never larger than 100 MB."),
        ("CI\n1. Install with the lock file", "CI never installs without the lock file."),
        ("Sessions\n1. Deploy Redis", "Redis runs as a container."),
        ("Undo\n1. Deleting moves a note to the trash", "The trash keeps notes for 30 days."),
    ],
)
def test_a_step_within_a_decision_stands(plan: str, decision: str) -> None:
    assert goes_against(read_plan(plan), decision) is None


@pytest.mark.parametrize(
    ("plan", "decision"),
    [
        ("- retry the client: 5 attempts, fixed 2 s", "Retries use exponential backoff."),
        ("- the agent applies the plans", "Only humans apply plans."),
        ("- default row by data migration in the same revision", "Data migrations are separate."),
        ("1. Image tag `latest`", "Images go by digest, latest is forbidden in the cluster."),
        ("- publish to RabbitMQ", "We stay on what we have; RabbitMQ was turned down."),
        ("- Pause the game in the menu", "The game never pauses for menus."),
        ("3. Run e2e only on main and on labelled PRs", "Every PR passes the e2e tests."),
        ("- queries in `reports.go` stay by hand for now", "Queries by hand move when touched."),
        ("- drop the delivery order per recipient", "Delivery order stays as promised."),
        ("1. node pools\n2. addons last", "Addons are upgraded before the node pools."),
        ("# Access logging\n- retention 30 days", "Logs are kept no longer than 14 days."),
        ("1. batch 512", "Batch size stays at 256."),
    ],
)
def test_what_a_decision_settles_is_told_clause_by_clause(plan: str, decision: str) -> None:
    assert goes_against(read_plan(plan), decision) is not None


@pytest.mark.parametrize(
    ("plan", "decision"),
    [
        ("- upload the file by hand", "Reports are generated."),
        ("- keep the random seed", "Splits are by time."),
        ("- retries with exponential backoff, no fixed wait", "Retries use exponential backoff."),
        ("1. Serve originals only to the owner", "Originals are never served but to the owner."),
        ("1. addons\n2. node pools", "Addons are upgraded before the node pools."),
        ("# Access logging\n- retention 10 days", "Logs are kept no longer than 14 days."),
        ("- drop the temporary table", "The queue stays on Redis."),
        ("1. exit 1 on a failure", "Exit code 2 for usage, 1 for failures."),
    ],
)
def test_a_step_about_something_else_or_within_it_stands(plan: str, decision: str) -> None:
    assert goes_against(read_plan(plan), decision) is None
