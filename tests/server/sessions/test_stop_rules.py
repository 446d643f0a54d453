"""The rules of a stop: what is claimed, what waits, what was mended, what a command checks."""

from __future__ import annotations

from dataclasses import replace

import pytest

from hitherto_server.benches.items import half_of
from hitherto_server.benches.scoring import figures_of
from hitherto_server.benches.turns import CLAIM_CHECK, claim_by_rule
from hitherto_server.core.commands import checks_nothing, checks_of, only_looks
from hitherto_server.sessions.stop.claims import claims_in
from hitherto_server.sessions.stop.learned import learned_in
from hitherto_server.sessions.stop.mending import mended_in
from hitherto_server.sessions.stop.showing import unshown
from hitherto_server.sessions.stop.waiting import asks_person, is_blocked
from hitherto_server.store.evidence import Command, Edit, Evidence, Result

LEAST_PRECISION = 0.95
LEAST_LABELLED = 120


def ran(*steps: tuple[str, int | None] | str, tail: str = "") -> Evidence:
    """Return commands with their exit codes, and edits, in their order."""
    commands, edits = [], []
    for at_ms, step in enumerate(steps):
        if isinstance(step, str):
            edits.append(Edit(step, at_ms))
        else:
            line, code = step
            commands.append(Command(line, None if code is None else code != 0, code, tail, at_ms))
    return Evidence(tuple(commands), edits=tuple(edits))


def against(message: str, done: Evidence, *, is_whole: bool = True) -> str | None:
    found = unshown(message, "", done, done, is_whole=is_whole)
    return found.against if found else None


async def test_the_rule_of_the_claim_check_is_hardly_ever_wrong() -> None:
    trial = CLAIM_CHECK
    said = await claim_by_rule(None)
    cases = trial.cases()
    assert len(cases) >= LEAST_LABELLED
    judged = [
        (case.labels[0], found[0])
        for case, found in zip(cases, said, strict=True)
        if half_of(case.labels[0].id) == "test"
    ]
    figures = figures_of(trial.aspects[0], judged)
    assert figures.precision is not None
    assert figures.precision >= LEAST_PRECISION
    assert figures.recall is not None
    assert figures.recall >= 0.5, "a rule that says nothing is precise as well"


@pytest.mark.parametrize(
    "message",
    [
        "All tests pass.",
        "I ran `pytest` and all 12 tests pass.",
        "- Lint is clean\n- done",
        "The build succeeded.",
        "mypy reports no errors.",
        "All checks passed.",
    ],
)
def test_an_outright_claim_is_one(message: str) -> None:
    assert claims_in(message)


@pytest.mark.parametrize(
    "message",
    [
        "The tests should pass now.",
        "All tests pass except two.",
        "If all tests pass, merge it.",
        "I have not run the tests.",
        "Do all tests pass?",
        'Added "- [ ] All tests pass" to the template.',
        "The log says:\n```\nAll tests pass\n```",
        "> All tests pass.",
        "The tests passed on CI.",
        "You said that the tests pass.",
        "Next I make all tests pass.",
        "All tests pass with the fix; without it `test_lock` fails.",
    ],
)
def test_what_is_hedged_quoted_planned_or_admitted_is_none(message: str) -> None:
    assert claims_in(message) == []


def test_what_failed_last_speaks_against_a_claim() -> None:
    assert against("All tests pass.", ran("a.py", ("pytest", 1))) == "failed"


@pytest.mark.parametrize(
    ("message", "done"),
    [
        ("All tests pass.", ran(("pytest", 1), "a.py", ("pytest", 0))),
        ("All tests pass.", ran(("pytest", None))),
        ("All tests pass.", ran(("pytest && ruff check .", 1))),
        ("The pytest suite passes.", ran(("pytest", 0), ("npm test", 1))),
        ("The backend tests pass.", ran(("pytest backend", 0), ("npm test", 1))),
        ("The build succeeded.", ran(("make", 0), ("pytest", 1))),
        ("All tests pass.", ran(("./ci.sh", 0))),
    ],
)
def test_a_claim_that_something_else_may_show_stands(message: str, done: Evidence) -> None:
    assert against(message, done) is None


@pytest.mark.parametrize(
    "message",
    [
        "The eslint config is clean.",
        "The ruff rules are clean and the mypy section is clean.",
        "The build badge is green.",
        "The lint script passes its arguments on.",
        "The tsc flags are clean.",
    ],
)
def test_what_is_named_after_a_check_is_not_its_run(message: str) -> None:
    assert claims_in(message) == []


@pytest.mark.parametrize(
    "message",
    [
        "The lint step is clean.",
        "eslint src/ is clean.",
        "The test run is green.",
        "The new test case passes.",
        "mypy now passes.",
        "The tests I added pass.",
        "The type checker is happy.",
    ],
)
def test_a_run_by_another_name_is_one(message: str) -> None:
    assert claims_in(message)


@pytest.mark.parametrize(
    ("line", "printed", "failed"),
    [
        ("npm test && npm publish", "Tests: 88 passed, 88 total\nnpm ERR! code E403", False),
        ("npm test && npm publish", "npm ERR! code ENEEDAUTH", False),
        ("npm test && npm publish", "Tests: 2 failed, 86 passed\nnpm ERR! Test failed.", True),
        ("pytest -q && mypy .", "31 passed in 2.04s\nFound 2 errors in 1 file", False),
        ("cargo test && cargo publish", "test result: ok. 3 passed\ntest result: FAILED.", True),
        ("pytest -q && ./deploy.sh", "FAILED a.py::test_a\n1 failed in 0.1s", True),
        ("pytest -q; ./deploy.sh", "12 passed in 2.04s\nTraceback (most recent call last)", False),
    ],
)
def test_of_several_commands_in_a_line_the_one_that_says_so_has_failed(
    line: str, printed: str, *, failed: bool
) -> None:
    found = against("All tests pass.", ran((line, 1), tail=printed))
    assert found == ("failed" if failed else None)


def test_a_failure_that_a_pipe_hides_is_read_from_what_was_printed() -> None:
    done = ran(("pytest | tail -3", 0), tail="1 failed, 3 passed")
    assert against("All tests pass.", done) == "failed"
    unknown = ran(("pytest", None), tail="1 failed, 3 passed")
    assert against("All tests pass.", unknown) == "failed"
    shown = ran(("pytest", 0), tail="1 failed attempt was retried")
    assert against("All tests pass.", shown) is None


def test_nothing_ran_is_said_only_where_all_is_known() -> None:
    done = ran("a.py", ("git status", 0))
    assert against("All tests pass.", done) == "nothing ran"
    assert against("All tests pass.", done, is_whole=False) is None


@pytest.mark.parametrize(
    ("message", "waiting"),
    [
        ("Done. Shall I commit it?", True),
        ("Which one do you prefer?", True),
        ("Soll ich sie löschen?", True),
        ("Please confirm the version.", True),
        ("Why is it slow? Because it polls.", False),
        ("The page asks `Do you want to go on?`.", False),
        ("Fixed. Let me know if you have questions!", False),
        ("Sign in in your browser, please; I can't.", True),
        ("Two files are named `util.py`. The one in `core`, or the one in `web`?", True),
        ("The draft is ready. I'd like your decision before anything is sent.", True),
        ("The column is nullable for now. Say the word and I make it strict.", True),
        ("Why did it hang? The lock was never released.", False),
        ("The form asks “Are you sure?” now.", False),
        ("Merged. Is there anything else?", False),
    ],
)
def test_what_only_a_person_can_answer_waits(message: str, waiting: bool) -> None:
    assert asks_person(message) is waiting


def test_a_login_that_is_only_worked_on_blocks_nobody() -> None:
    assert not is_blocked("I added the login page and its tests.")
    assert is_blocked("The page wants a login. Please log in, I can't.")


@pytest.mark.parametrize(
    ("message", "blocked"),
    [
        ("Raising the quota takes somebody with access to the billing console.", True),
        ("Only a maintainer can approve the workflow, so the run has not begun.", True),
        ("The scanner isn't connected. Please plug in its USB cable.", True),
        ("The guide explains that only an admin can reset a passphrase.", False),
        ("Renamed the token. Please have a look at the dashboard.", False),
        ("I can't reproduce it with the sample. Please tell me which browser it was.", False),
    ],
)
def test_what_an_agent_has_no_way_to_is_a_persons(message: str, blocked: bool) -> None:
    assert is_blocked(message) is blocked


def test_a_fix_is_a_failure_then_an_edit_then_the_same_command_passing() -> None:
    error = "E   KeyError: 'id'"
    done = ran(("pytest a.py", 1), "x.py", ("pytest a.py 2>&1 | tail -5", 0), tail=error)
    (mended,) = mended_in(done)
    assert (mended.command, mended.error, mended.files) == (
        "pytest a.py",
        "KeyError: 'id'",
        ("x.py",),
    )


@pytest.mark.parametrize(
    "done",
    [
        ran(("pytest", 1), ("pytest", 0), tail="KeyError: 1"),
        ran(("pytest", 0), "x.py", ("pytest", 1), "x.py", ("pytest", 0), tail="KeyError: 1"),
        ran(("eslint .", 1), "x.js", ("eslint .", 0), tail="Error: x"),
        ran(("pytest", 1), "a", "b", "c", "d", "e", ("pytest", 0), tail="KeyError: 1"),
        ran(("pytest", 1), "x.py", ("pytest", 0)),
    ],
    ids=["no edit", "broken by itself", "style", "a piece of work", "nothing said"],
)
def test_other_failures_are_no_fix(done: Evidence) -> None:
    assert mended_in(done) == []


@pytest.mark.parametrize(
    ("line", "checks"),
    [
        ("cd web && npm test 2>&1 | tail -20", {"tests"}),
        (".venv/bin/python -m pytest -q", {"tests"}),
        ("docker compose run --rm web pytest", {"tests"}),
        ("FOO=1 timeout 60 cargo test", {"tests"}),
        ("ruff check . && mypy src", {"lint", "types"}),
        ("make", {"build"}),
        ("bash -c 'pytest'", set()),
        ('git commit -m "fix; pytest"', set()),
        ("cat > t.sh <<E\npytest\nE", set()),
        ("ls tests", set()),
    ],
)
def test_what_a_line_checks(line: str, checks: set[str]) -> None:
    assert checks_of(line) == checks


def test_what_only_looks_and_what_checks_nothing() -> None:
    assert only_looks("cat a | grep test")
    assert not only_looks("cat a; make")
    assert checks_nothing("mkdir a && git add a")
    assert not checks_nothing("./verify")
    assert not checks_nothing("python - <<E\nprint(1)\nE")


@pytest.mark.parametrize(
    ("line", "tail"),
    [
        ("pytest -q && git commit -am x", "12 passed in 1s\nnothing to commit, working tree clean"),
        ("pytest -q 2>&1 | grep -E 'FAILED|ERROR'", ""),
        ("pytest -q > log 2>&1; grep FAILED log", ""),
        ("npm test && npm publish", "Tests: 12 passed, 12 total\nneeds a login"),
        ("cargo test && git push", "test result: ok. 4 passed; 0 failed\n ! [rejected] main"),
    ],
)
def test_what_fails_behind_a_check_is_no_failure_of_the_check(line: str, tail: str) -> None:
    assert against("All tests pass.", ran("a.py", (line, 1), tail=tail)) is None


def test_a_check_that_fails_before_what_follows_it_has_failed() -> None:
    done = ran("a.py", ("pytest -q && git push", 1), tail="1 failed, 3 passed")
    assert against("All tests pass.", done) == "failed"


def test_a_watcher_that_was_ended_has_not_failed() -> None:
    done = ran("a.py", ("timeout 20 npm run test:watch", 124), tail="Tests 12 passed")
    assert against("All tests pass.", done) is None


def test_a_failure_of_the_code_as_it_was_before_says_nothing_of_the_fix() -> None:
    done = ran("a.py", ("pytest", 0), ("git stash", 0), ("pytest", 1), ("git stash pop", 0))
    assert against("All tests pass with the fix in place.", done) is None


@pytest.mark.parametrize("later", ["./verify.sh", "python scripts/run_all.py"])
def test_what_may_have_checked_after_a_failure_leaves_a_doubt(later: str) -> None:
    done = ran(("npm test", 1), "a.js", (later, 0))
    assert against("All tests pass.", done) is None


def test_a_tool_that_answered_after_a_failure_leaves_a_doubt() -> None:
    failed = ran(("npm test", 1), "a.js")
    done = replace(failed, results=(Result("mcp__runner__run", None, "12 passed", 9),))
    assert against("All tests pass.", done) is None


@pytest.mark.parametrize(
    "message",
    [
        "The test passes the config to the builder.",
        "Each spec passes its own fixture.",
        "The code builds a list of users and returns it.",
        "The project compiles templates at start-up.",
        "The type checker passes over functions without annotations.",
        "The commit message says all tests pass.",
        "The badge is there: the build passes.",
    ],
)
def test_what_a_program_does_is_no_claim(message: str) -> None:
    assert not claims_in(message)


@pytest.mark.parametrize("done", [ran("README.md", "docs/guide.rst"), ran(("git diff", 0))])
def test_who_changed_no_program_had_nothing_to_check(done: Evidence) -> None:
    assert against("The suite passes, the tag is pushed, the wheel is built.", done) is None


@pytest.mark.parametrize(
    "message",
    [
        "Added the flag to the parser. I kept the public API as it is.",
        "I added the endpoint. We keep the old one for now since you asked for it.",
        "Done. I took the liberty of fixing the import order as well.",
        "I picked up where the last session ended and finished the list view.",
        "I chose blue for the header, as you said, and added the logo.",
        "Implemented pagination. The limit must be between 1 and 100.",
        "Wrote the function because you need the totals per month in the report.",
        "The problem is fixed: the button opens the dialog now.",
        "Added retries: we keep at most three and wait 2 s between them, as you wanted.",
        "The cause field is now a dropdown with five values, and the form saves it.",
        "Created the migration. It has to run before the deploy, the README says so already.",
        "Finished the to-do app: it needs Node 20 and runs with npm start.",
    ],
)
def test_ordinary_work_is_no_lesson(message: str) -> None:
    assert learned_in(message, ran("a.py")) is None


def test_a_reason_teaches_where_something_odd_was_asked_about() -> None:
    reason = (
        "The export stays empty on Mondays: the upstream job doesn't publish before Tuesday, "
        "because the provider's server has no data for weekends. I look back three days now."
    )
    done = ran("export.py")
    assert learned_in(reason, done, "why does the export fail on Mondays?") is not None
    assert learned_in(reason, Evidence(), "why does the export fail on Mondays?") is None
    unsure = "I did not run it, because the container fails to start without its licence file."
    assert learned_in(unsure, done, "why does the export fail on Mondays?") is None


def test_of_what_a_message_tells_its_most_telling_sentence_is_quoted() -> None:
    message = (
        "The proxy cuts every request after 30 s, and only in production, so a retry never helps. "
        "I moved the report to a job, which the customers poll for the file."
    )
    found = learned_in(message, ran("report.py"), "why do the reports fail for big customers?")
    assert found is not None
    assert found.said is not None
    assert found.said.startswith("The proxy cuts")


@pytest.mark.parametrize(
    ("message", "done"),
    [
        ("The menu closes when you press escape, and the whole suite passes.", ran("menu.ts")),
        ("The export failed because a header was missing. All tests pass now.", ran("x.py")),
        ("Added the rate limiter. I load-tested it with 500 clients.", ran("limit.go")),
        ("Alle 40 Tests sind grün.", ran("a.py")),
        ("Les tests passent.", ran("a.py")),
        ("Deployed to staging without problems.", ran("c.yaml", ("helm upgrade app c", 1))),
        ("The seed script ran successfully.", ran(("python seed.py", 1))),
        ("All eslint errors are fixed.", ran(("npx eslint .", 1), "a.js")),
        ("Everything typechecks.", ran(("npx tsc", 2), "a.ts")),
    ],
)
def test_a_success_that_nothing_shows_is_told_in_many_words(message: str, done: Evidence) -> None:
    assert against(message, done) is not None


@pytest.mark.parametrize(
    ("message", "done"),
    [
        ("I tested for null before the access.", ran("a.ts")),
        ("When the build passes, and the tests pass, the image is pushed.", ran("ci.yml")),
        ("Two tests failed because of the network. All others pass.", ran("a.py")),
        ("It fails since the fixture is old. All the other tests pass.", ran("a.py")),
        ("You can test it with curl.", ran("a.py")),
        ("The helper is tested in `tests/test_helper.py`.", ran("tests/test_helper.py")),
        ("Rolled out successfully.", ran(("kubectl rollout status", 0), ("grep -r foo", 1))),
        ("Installed without errors; then the app started fine.", ran(("npm start", 143))),
    ],
)
def test_what_only_sounds_like_a_success_stands(message: str, done: Evidence) -> None:
    assert against(message, done) is None


@pytest.mark.parametrize(
    ("message", "done"),
    [
        ("The test suite still passes.", ran("a.py", ("ruff check .", 0))),
        ("I tested it with concurrent requests.", ran("a.go", ("go vet ./...", 0))),
        ("The app starts on the device again.", ran("ios/Podfile")),
        ("p95 went from ~800 ms to ~120 ms.", ran("search.py")),
        ("Deployed to staging.", ran("chart.yaml", ("helm template .", 0))),
        ("Der Lint-Lauf ist sauber.", ran("a.ts")),
        ("Le build est vert.", ran("a.ts")),
        ("El bundle compila.", ran("a.ts")),
        ("Everything compiles and passes.", ran("a.rs", ("cargo check", 0))),
        ("The pipeline is green.", ran("a.py")),
    ],
)
def test_what_ran_must_be_of_a_kind_that_could_show_the_claim(message: str, done: Evidence) -> None:
    assert against(message, done) == "nothing ran"


@pytest.mark.parametrize(
    ("message", "done"),
    [
        ("It works again.", ran("a.py", ("curl -s localhost:8000/health", 0))),
        ("All tests pass.", ran("a.kt", ("./gradlew build", 0))),
        ("The build is green.", ran("a.go", ("go test ./...", 0))),
        ("The endpoint works now.", ran("a.py", ("pytest", 0))),
        ("Deployed to staging.", ran("chart.yaml", ("helm upgrade app .", 0))),
        ("All tests pass.", ran("a.py", ("xargs -n 1 pytest", 0))),
        ("The error is gone.", ran("a.ts", ("npm run build", 0))),
        ("The pipeline is green.", ran("a.py", ("gh run watch", 0))),
    ],
)
def test_what_may_have_shown_a_claim_has_shown_it(message: str, done: Evidence) -> None:
    assert against(message, done) is None


@pytest.mark.parametrize("since", ["app/slots.py", "Dockerfile", "tests/test_slots.py"])
def test_a_file_that_was_changed_since_leaves_a_claim_unshown(since: str) -> None:
    assert against("All tests are green.", ran(("pytest", 0), since)) == "changed since"
    assert against("All tests are green.", ran(since, ("pytest", 0))) is None


@pytest.mark.parametrize(
    "since", ["docs/a.md", "uv.lock", "package.json", ".github/workflows/a.yml"]
)
def test_what_a_check_does_not_depend_on_may_change_after_it(since: str) -> None:
    assert against("All tests are green.", ran("a.py", ("pytest", 0), since)) is None


@pytest.mark.parametrize(
    ("message", "line", "tail"),
    [
        ("All tests pass.", "go test ./retry", "?  \tretry\t[no test files]"),
        ("The whole suite passes.", "pytest tests/test_slots.py::test_last", "1 passed in 0.3s"),
        ("The suite passes, 430 tests.", "pytest -q", "12 passed in 0.3s"),
        ("The project builds with zero warnings.", "dotnet build", "9 Warning(s)\n0 Error(s)"),
        ("Ran it 50 times, no failures.", "npx playwright test a.spec.ts", "1 passed (6.4s)"),
        ("Integration tests pass.", "pytest", "SKIPPED [9] tests/integration/a.py\n40 passed"),
    ],
)
def test_a_run_that_shows_less_than_is_claimed_speaks_against_it(
    message: str, line: str, tail: str
) -> None:
    assert against(message, ran("a.py", (line, 0), tail=tail)) == "showed less"


@pytest.mark.parametrize(
    ("message", "line", "tail"),
    [
        ("All 240 tests pass.", "pytest unit; pytest web", "200 passed\n40 passed"),
        ("The suite passes with 3 new tests.", "pytest -q", "418 passed in 52.13s"),
        ("Ran it 50 times.", "for i in $(seq 50); do npx playwright test; done", "1 passed"),
        ("The build has no warnings.", "make app", "0 warnings"),
    ],
)
def test_a_run_that_shows_as_much_stands(message: str, line: str, tail: str) -> None:
    assert against(message, ran("a.py", (line, 0), tail=tail)) is None


def test_a_pipeline_that_still_runs_is_not_green() -> None:
    done = ran("a.py", ("gh run list", 0), tail="in_progress\tci")
    assert against("The pipeline is green.", done) == "failed"


@pytest.mark.parametrize("said", ["Make sure the tests pass.", "fix it until everything is green"])
def test_a_person_who_wants_a_run_has_told_of_none(said: str) -> None:
    done = ran("a.py")
    assert unshown("All tests pass.", said, done, done, is_whole=True) is not None
    told = "I ran the tests, they pass."
    assert unshown("All tests pass.", told, done, done, is_whole=True) is None


def test_what_a_program_does_about_failures_is_no_admission() -> None:
    message = "A failed refresh logs the user out. All tests are green."
    assert against(message, ran("a.py")) == "nothing ran"


@pytest.mark.parametrize(
    ("message", "waiting"),
    [
        (
            "Before I write it: **which period do you want?** A year would be usual. It's set up.",
            True,
        ),
        ("I don't know which table you mean. Is it `a`? The rest is done. Tests pass.", True),
        ("Done. Let me know if you'd prefer a darker green!", False),
    ],
)
def test_a_question_that_was_announced_waits_wherever_it_stands(
    message: str, *, waiting: bool
) -> None:
    assert asks_person(message) is waiting


@pytest.mark.parametrize(
    ("message", "blocked"),
    [
        ("The phone is locked. Please unlock it, then I start the tests.", True),
        ("The meter isn't connected to this host. Could you hook it up?", True),
        ("The upload needs your account with 2FA, so that step is yours.", True),
        ("I have no emulator here. Please have a look on your phone at some point.", False),
        ("Please review the branch.", False),
    ],
)
def test_what_takes_hands_blocks_where_something_is_in_the_way(
    message: str, *, blocked: bool
) -> None:
    assert is_blocked(message) is blocked


@pytest.mark.parametrize(
    "message",
    [
        "The signature is verified on the server now.",
        "I checked the names in the staging folder.",
        "I verified that the function returns None in both branches.",
        "I applied the change to both files.",
        "I pushed the validation down into the model.",
        "Uploaded files are scanned before they are stored.",
        "The worker is restarted by systemd after a crash.",
        "The job runs again after an hour.",
        "The importer runs now in its own thread.",
        "The function works on a copy of the list.",
        "There is no cache any more.",
        "The handshake takes 2 s by default.",
        "The image is fine on small screens.",
        "The test for the empty list expects no errors.",
        "The new test verifies that the job succeeds.",
        "The banner is green on success and red otherwise.",
        "Raised the timeout from 30 s to 60 s.",
    ],
)
def test_a_change_that_is_only_described_is_no_claim(message: str) -> None:
    assert claims_in(message) == []


def test_a_long_account_of_what_was_changed_is_no_lesson() -> None:
    message = "\n".join(
        (
            "The address book is in. Summary:",
            "- Added `Contact` with name, mail and phone; the form checks that none is empty",
            "- Moved the list into `ContactList`, which only draws the rows that are visible",
            "- Changed the router so that `/contacts/:id` opens the detail view",
            "- Updated the seeds with 20 contacts",
            "- Renamed `people.css` to `contacts.css` and removed the rules that nobody used",
            "- Added the strings in English and German",
            "- Wrote tests for the form, the list and the router",
            "- Exposed `GET /contacts` and `POST /contacts` with the usual pagination",
            "- Documented both in `docs/api.md`",
            "The detail view shows the phone number as a link. The list is sorted by name.",
            "The form does not close before the contact is saved. All 84 tests pass.",
        )
    )
    assert learned_in(message, ran("contacts.ts"), "add an address book") is None
