"""Environment over master over surface over key; thresholds; and whom a key is for."""

from __future__ import annotations

import stat
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from tests.server.judge.conftest import HOOK, QUESTIONS, STATE, Seconds, judging, surface
from tests.wiring import rows

from hitherto_contract.judge import JudgeChange
from hitherto_server.core.errors import HomeUnusable, InvalidInput, NotFound, SwitchLocked
from hitherto_server.judge.answers import Answers, Unavailable
from hitherto_server.judge.choosing import MOST_RELEVANT, changed
from hitherto_server.judge.configuration import JudgeConfig, as_document, read_config
from hitherto_server.judge.keys import find_key, is_killed, read_env_file, write_key
from hitherto_server.judge.register import surfaces
from hitherto_server.judge.surfaces import rerank
from hitherto_server.store.config import put_section

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from tests.server.judge.conftest import Bench
    from tests.system_one_stub import SystemOneStub

    from hitherto_server.judge.surface import Surface

KEY = "key-of-a-test"
SURFACES = surfaces()


@pytest.fixture
def seconds() -> Seconds:
    return Seconds()


@pytest.fixture
async def timed(tmp_path: Path, stub: SystemOneStub, seconds: Seconds) -> AsyncIterator[Bench]:
    async with judging(tmp_path, stub, seconds) as made:
        await made.use()
        yield made


async def outcome(bench: Bench, surface_: Surface | None = None) -> str:
    got = await bench.judge.ask(surface_ or surface(), STATE, QUESTIONS, HOOK)
    return got.reason if isinstance(got, Unavailable) else "answered"


async def change(bench: Bench, **asked: Any) -> None:
    """Change what a person asks for, as the API does."""
    wanted = JudgeChange(**asked)
    known, passes = {"likeness": surface()}, bench.judge.switches.passes
    await bench.judge.change(lambda config: changed(config, wanted, known, passes))


async def test_each_switch_wins_over_those_below_it(timed: Bench, seconds: Seconds) -> None:
    assert await outcome(timed) == "answered"
    await change(timed, surfaces={"likeness": {"on": False}})
    assert await outcome(timed) == "surface_off"
    assert await outcome(timed, surface("another")) == "answered"
    await change(timed, on=False)
    assert await outcome(timed) == "off"
    timed.env_file.write_text("HITHERTO_JUDGE=off\n")
    seconds.now += 3
    assert await outcome(timed) == "killed"
    assert not timed.judge.is_on(surface())


async def test_what_another_process_changes_is_in_force_within_three_seconds(
    timed: Bench, seconds: Seconds
) -> None:
    assert await outcome(timed) == "answered"
    document = as_document(replace(timed.judge.switches.config, on=False))
    await timed.judge.switches.store.writer.run(lambda c: put_section(c, "judge", document, 1))
    seconds.now += 2.9
    assert await outcome(timed) == "answered"
    seconds.now += 0.1
    assert await outcome(timed) == "off"


async def test_the_environment_of_the_server_kills_all_judging(
    timed: Bench, seconds: Seconds
) -> None:
    timed.judge.switches.environment = {"HITHERTO_JUDGE": "off"}
    seconds.now += 3
    assert await outcome(timed) == "killed"
    assert timed.stub.requests == []


async def test_thresholds_and_timeouts_are_the_persons_where_they_set_them(timed: Bench) -> None:
    judge, own = timed.judge, surface()
    assert judge.threshold(own, "least_probability") == 0.8
    await change(timed, surfaces={"likeness": {"thresholds": {"least_probability": 0.95}}})
    assert judge.threshold(own, "least_probability") == 0.95
    await change(timed, surfaces={"likeness": {"timeout_s": 0.5}})
    assert judge.switches.config.timeout_of(own) == 0.5
    assert judge.threshold(own, "least_probability") == 0.95
    await change(timed, surfaces={"likeness": {"thresholds": {"least_probability": None}}})
    assert judge.threshold(own, "least_probability") == 0.8
    await change(timed, surfaces={"likeness": {"reset": True}})
    assert judge.switches.config.timeout_of(own) == own.timeout_s


async def test_a_threshold_that_no_answer_reaches_is_refused(timed: Bench) -> None:
    with pytest.raises(InvalidInput, match="least_probability is at most 1, not 2"):
        await change(timed, surfaces={"likeness": {"thresholds": {"least_probability": 2}}})
    await change(timed, surfaces={"likeness": {"thresholds": {"least_probability": 1}}})
    assert timed.judge.threshold(surface(), "least_probability") == 1


@pytest.mark.parametrize("name", [name for name, one in SURFACES.items() if one.band])
def test_thresholds_that_would_make_an_answer_both_yes_and_no_are_refused(name: str) -> None:
    band = SURFACES[name].band
    assert band is not None

    def with_those(thresholds: dict[str, float], before: JudgeConfig) -> JudgeConfig:
        wanted = JudgeChange.model_validate({"surfaces": {name: {"thresholds": thresholds}}})
        return changed(before, wanted, SURFACES, lambda *_: False)

    with pytest.raises(InvalidInput, match=rf"{band.no_below} \(0.7\) lies above"):
        with_those({band.no_below: 0.7, band.yes_from: 0.6}, JudgeConfig())
    met = with_those({band.no_below: 0.6, band.yes_from: 0.6}, JudgeConfig())
    with pytest.raises(InvalidInput, match=rf"{band.yes_from} \(0.5\)"):
        with_those({band.yes_from: 0.5}, met)
    moved = with_those({band.no_below: 0.2, band.yes_from: 0.5}, met)
    assert moved.surfaces[name].thresholds[band.yes_from] == 0.5


def test_every_surface_with_a_threshold_for_no_names_the_one_for_yes_beside_it() -> None:
    below = {n for n, one in SURFACES.items() if any("below" in key for key in one.thresholds)}
    bands = {n: one.band for n, one in SURFACES.items() if one.band}
    assert bands.keys() == below | {"secret-gate"}
    assert not any(band.is_crossed(SURFACES[n].thresholds) for n, band in bands.items())


async def test_a_relevance_is_a_place_on_the_levels_of_relevance() -> None:
    assert len(rerank.LEVELS) - 1 == MOST_RELEVANT
    ranking = {rerank.SURFACE.name: rerank.SURFACE}

    def with_least(least: float) -> JudgeConfig:
        asked = {"surfaces": {"rerank": {"thresholds": {"least_relevance": least}}}}
        wanted = JudgeChange.model_validate(asked)
        return changed(JudgeConfig(), wanted, ranking, lambda *_: False)

    assert with_least(4).surfaces["rerank"].thresholds == {"least_relevance": 4}
    with pytest.raises(InvalidInput, match="at most 4"):
        with_least(5)


async def test_a_locked_switch_needs_a_passed_bench_and_is_always_turned_off(
    timed: Bench,
) -> None:
    judge, own = timed.judge, surface()
    with pytest.raises(SwitchLocked):
        await change(timed, surfaces={"likeness": {"allows": {"apply": True}}})
    judge.switches.passes = lambda _, __: True
    await change(timed, surfaces={"likeness": {"allows": {"apply": True}}})
    assert judge.is_on(own, "apply")
    judge.switches.passes = lambda _, __: False
    assert not judge.is_on(own, "apply"), "what was measured runs no more"
    await change(timed, surfaces={"likeness": {"allows": {"apply": False}}})
    judge.switches.passes = lambda _, __: True
    assert not judge.is_on(own, "apply")


@pytest.mark.parametrize(
    ("asked", "error"),
    [
        ({"surfaces": {"nothing": {"on": False}}}, NotFound),
        ({"surfaces": {"likeness": {"thresholds": {"nothing": 0.5}}}}, NotFound),
        ({"surfaces": {"likeness": {"allows": {"nothing": True}}}}, NotFound),
        ({"backend": {"profile": "custom"}}, InvalidInput),
        ({"backend": {"profile": "openai", "base_url": "http://127.0.0.1:1"}}, InvalidInput),
        ({"backend": {"profile": "custom", "base_url": "http://example.com"}}, InvalidInput),
    ],
)
async def test_what_is_not_there_cannot_be_set_and_nothing_is_changed(
    timed: Bench, asked: dict[str, Any], error: type[Exception]
) -> None:
    before = rows(timed.database, "SELECT document FROM config")
    with pytest.raises(error):
        await change(timed, on=False, **asked)
    assert rows(timed.database, "SELECT document FROM config") == before


async def test_one_section_of_the_configuration_leaves_the_others_alone(timed: Bench) -> None:
    def job(connection: Any) -> None:
        connection.execute(
            "UPDATE config SET document = json_set(document, '$.pages', json('{\"dark\": true}'))"
        )

    await timed.judge.switches.store.writer.run(job)
    await change(timed, on=False)
    (document,) = rows(timed.database, "SELECT document FROM config")[0]
    assert '"dark":true' in document


def test_a_document_that_somebody_else_wrote_is_read_as_far_as_it_is_understood() -> None:
    wrong = {
        "on": "perhaps",
        "backend": {"profile": "nobody", "base_url": 7},
        "surfaces": {"a": 1, "b": {"timeout_s": "long", "thresholds": {"x": "y", "z": 0.5}}},
    }
    config = read_config(wrong)
    assert (config.on, config.backend) == (True, None)
    assert dict(config.surfaces["b"].thresholds) == {"z": 0.5}
    assert read_config(as_document(config)) == config


async def test_a_key_is_sent_to_the_address_that_it_was_given_for_and_to_no_other(
    timed: Bench,
) -> None:
    await timed.judge.switches.give_key(KEY)
    assert await outcome(timed) == "answered"
    assert timed.stub.asked[-1].headers["authorization"] == f"Bearer {KEY}"
    assert stat.S_IMODE(timed.env_file.stat().st_mode) == 0o600
    await timed.use(base_url=timed.stub.url.replace("127.0.0.1", "localhost"))
    assert await outcome(timed) == "answered"
    assert "authorization" not in timed.stub.asked[-1].headers
    assert timed.judge.switches.key_state() == "for_another_address"
    await timed.use()
    assert timed.judge.switches.key_state() == "given"
    await timed.judge.switches.give_key(None)
    assert timed.judge.switches.key_state() == "not_needed"
    assert KEY not in timed.env_file.read_text()


async def test_a_service_that_needs_a_key_is_not_asked_without_its_own(timed: Bench) -> None:
    await timed.judge.switches.give_key(KEY)
    await timed.use("typesafe", base_url="https://api.typesafe.ai")
    got = await timed.judge.ask(surface(), STATE, QUESTIONS, HOOK)
    assert isinstance(got, Unavailable)
    assert (got.reason, "key" in got.detail) == ("no_backend", True)


async def test_a_key_of_the_environment_is_for_the_known_service_that_is_chosen_first(
    timed: Bench,
) -> None:
    switches = timed.judge.switches
    switches.environment = {"HITHERTO_JUDGE_KEY": KEY}
    await change(timed, backend={"profile": "typesafe"})
    assert switches.key_state() == "given"
    await change(timed, backend={"profile": "openrouter"})
    assert switches.key_state() == "for_another_address"
    await switches.give_key(None, of_environment=True)
    assert switches.key_state() == "given"
    assert KEY not in timed.env_file.read_text()


async def test_a_key_of_the_environment_is_not_for_the_address_of_the_key_that_is_kept(
    timed: Bench,
) -> None:
    switches = timed.judge.switches
    await switches.give_key(KEY)
    switches.environment = {"HITHERTO_JUDGE_KEY": "sk-of-another-service"}
    await switches.read()
    assert switches.key_state() == "for_another_address"
    assert await outcome(timed) == "answered"
    assert "authorization" not in timed.stub.asked[-1].headers
    await switches.give_key(None, of_environment=True)  # a person says that it is for this one
    assert switches.key_state() == "given"


async def test_an_unknown_server_does_not_get_a_key_that_was_given_for_nobody(
    timed: Bench, seconds: Seconds
) -> None:
    timed.judge.switches.environment = {"HITHERTO_JUDGE_KEY": KEY}
    await timed.use()
    assert await outcome(timed) == "answered"
    assert "authorization" not in timed.stub.asked[-1].headers


async def test_a_key_is_never_shown(timed: Bench) -> None:
    await timed.judge.switches.give_key(KEY)
    assert KEY not in repr(timed.judge.switches.key)
    assert KEY not in repr(timed.judge)
    with pytest.raises(InvalidInput) as refused:
        await timed.judge.switches.give_key(f"{KEY}\nHost: elsewhere")
    assert KEY not in str(refused.value)


async def test_what_the_client_logs_at_its_most_talkative_names_no_key(
    timed: Bench, caplog: pytest.LogCaptureFixture
) -> None:
    await timed.judge.switches.give_key(KEY)
    caplog.set_level("DEBUG")
    assert await outcome(timed) == "answered"
    assert "/v1/systemone" in caplog.text
    assert KEY not in caplog.text


async def test_a_redirect_is_not_followed_with_the_key(timed: Bench) -> None:
    from tests.system_one_stub import Fault, SystemOneStub

    await timed.judge.switches.give_key(KEY)
    with SystemOneStub() as elsewhere:
        timed.stub.fault = Fault(307, headers={"Location": f"{elsewhere.url}/v1/systemone"})
        assert await outcome(timed) == "http"
        assert elsewhere.requests == []


async def test_an_env_file_that_is_no_text_is_left_as_it_is(timed: Bench) -> None:
    timed.env_file.write_bytes(b"OTHER=\xff\n")
    with pytest.raises(HomeUnusable):
        await timed.judge.switches.give_key(KEY)
    assert timed.env_file.read_bytes() == b"OTHER=\xff\n"


def test_the_env_file_keeps_the_lines_of_others(tmp_path: Path) -> None:
    path = tmp_path / ".env"
    path.write_text("# mine\nOTHER=1\nexport HITHERTO_JUDGE_KEY='old'\n")
    assert read_env_file(path) == {"HITHERTO_JUDGE_KEY": "old"}
    write_key(path, "new", "https://a.example")
    assert path.read_text().splitlines() == [
        "# mine",
        "OTHER=1",
        "HITHERTO_JUDGE_KEY=new",
        "HITHERTO_JUDGE_KEY_FOR=https://a.example",
    ]
    write_key(path, None, None)
    assert path.read_text().splitlines() == ["# mine", "OTHER=1"]


@pytest.mark.parametrize(
    ("said", "killed"),
    [("off", True), (" OFF ", True), ("0", True), ("False", True), ("on", False), ("", False)],
)
def test_what_turns_all_of_it_off(said: str, killed: bool) -> None:
    assert is_killed({"HITHERTO_JUDGE": said}) is killed
    assert is_killed({}, {"HITHERTO_JUDGE": said}) is killed


def test_a_key_that_no_header_can_carry_is_no_key() -> None:
    assert find_key({"HITHERTO_JUDGE_KEY": "a b"}, {}) is None
    assert find_key({"HITHERTO_JUDGE_KEY": ""}, {"HITHERTO_JUDGE_KEY": "b"}) is not None


async def test_an_answer_is_an_answer(timed: Bench) -> None:
    assert isinstance(await timed.judge.ask(surface(), STATE, QUESTIONS, HOOK), Answers)
