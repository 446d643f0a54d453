"""The secret gate: what opens something goes, what only looks like it stays."""

from __future__ import annotations

import random
import string
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from secret_spans import load_spans

from hitherto_contract import ForgetRequest, RestoreRequest
from hitherto_server.core.errors import OnlyASecret
from hitherto_server.gates.reflect import forget, restore
from hitherto_server.gates.secrets import redact
from hitherto_server.gates.secrets.findings import masked
from hitherto_server.gates.secrets.rules import rule_set

DRAW = random.Random(5)
BASE62 = string.ascii_letters + string.digits
DEVELOPMENT = [one for one in load_spans() if one.half == "development"]


def drawn(count: int, characters: str = BASE62) -> str:
    return "".join(DRAW.choices(characters, k=count))


TOKEN = "gh" + "p_" + drawn(36)
KEY = "RSA " + "PRIVATE KEY"
BLOCK = (
    f"-----BEGIN {KEY}-----\n" + "\n".join(drawn(64) for _ in range(9)) + f"\n-----END {KEY}-----"
)
ESCAPED = BLOCK.replace("\n", "\\n")


@pytest.mark.parametrize("span", [one for one in DEVELOPMENT if one.is_secret], ids=str)
def test_a_secret_of_the_development_half_is_taken_out(span):
    assert span.value not in redact(span.text).text


@pytest.mark.parametrize("span", [one for one in DEVELOPMENT if not one.is_secret], ids=str)
def test_a_trap_of_the_development_half_is_left_alone(span):
    assert redact(span.text).text == span.text


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("das Kennwort vom WLAN lautet Kiesel#4471", "password"),
        ("le mot de passe du serveur de test est Lune!Bleue77", "password"),
        ("la contraseña del servidor es Perro+Gato99", "password"),
        ("a senha do banco é Tigre_88!x", "password"),
        ("la password del server di test: Volpe?Rossa21", "password"),
        ("het wachtwoord voor de server is Fiets%Maan12", "password"),
        ("la clé api de prod est 8fK2mQ9zLx7Wv3Rt5Yb1", "secret"),
        ("log in as deploy with Dragon+Harbor42 as the password", "password"),
        ("echo 23949b3c1b99111eb94343a36a4f05ff > config/deploy.key", "secret"),
        ("the TOTP secret of the shop account: JBSW Y3DP EHPK 3PXP ABCD 2345", "otp-seed"),
        ("Backup-Codes: 4821-9932, 1123-4432", "recovery-code"),
    ],
)
def test_what_a_sentence_says_to_open_something_is_taken_out_in_six_languages(text, kind):
    assert redact(text).kinds == (kind,)


@pytest.mark.parametrize(
    "text",
    [
        "clave primaria: pedido_2024_id",
        "the API key is stored in config/keys.yml",
        "password check fails in login: AuthError401",
        "recovery codes are generated in auth/codes.py: 10 per user",
        "password for the archive: docs/pw1.txt",
        "put sample.txt in config/deploy.key",
    ],
)
def test_a_sentence_about_a_secret_that_has_none_is_left_alone(text):
    assert redact(text).text == text


def test_only_the_secret_goes_and_its_kind_is_said():
    found = redact(f"Rotate {TOKEN}, then push.")
    assert (found.text, found.kinds) == (
        "Rotate [redacted:github-pat], then push.",
        ("github-pat",),
    )
    assert (found.changed, found.doubtful) == (True, ())


def test_of_a_url_only_the_password_goes():
    url = f"postgres://app:{drawn(14)}7@db.internal:5432/orders?sslmode=require"
    expected = "postgres://app:[redacted:url-password]@db.internal:5432/orders?sslmode=require"
    assert redact(url).text == expected


@pytest.mark.parametrize(
    "text",
    [BLOCK, ESCAPED, BLOCK[:400], BLOCK[-400:], ESCAPED[-400:], f"x\n{BLOCK}\n{BLOCK}"],
    ids=["whole", "in JSON", "cut at its end", "cut at its start", "cut in JSON", "two"],
)
def test_of_a_key_block_no_line_is_left(text):
    left = redact(text).text
    assert all(line not in left for line in BLOCK.split("\n")[2:8])


def test_what_only_chance_speaks_for_is_doubtful_and_shown_masked():
    value = drawn(40)
    found = redact(f"fingerprint_of_run: {value}\nsalt: {value}")
    assert found.text.count(value) == 2
    assert {one.masked for one in found.doubtful} == {f"{value[:4]}{'*' * 34}{value[-2:]}"}
    assert not any(one.redacted for one in found.doubtful)


def test_what_is_doubtful_under_a_secret_name_goes_without_a_judgment():
    found = redact("db password: 'correcthorsebattery'")
    assert found.text == "db password: '[redacted:password]'"
    assert [(one.kind, one.redacted) for one in found.doubtful] == [("password", True)]


def test_of_a_short_value_less_is_shown_and_every_mask_has_its_length():
    assert (masked("abc123"), masked("abcd1234")) == ("******", "ab*****4")
    assert masked("abcd12345678") == "abcd******78"


@given(st.sampled_from([one.text for one in load_spans()]))
def test_doing_it_twice_changes_nothing(text):
    once = redact(text).text
    assert redact(once).text == once


@given(st.text(max_size=300))
def test_no_text_ends_it(text):
    once = redact(text).text
    assert redact(once).text == once


@pytest.mark.parametrize(
    "text",
    ["a=" * 10_000, "password: " * 2_000, "-----BEGIN " * 2_000, "://a:" * 4_000, "A" * 20_000,
     "eyJ" * 7_000, "x" * 19_999 + "=", "key is " * 3_000, "token=\"" * 3_000, "cookie: a=" * 999,
     "eyJ-" * 5_000, "curl=" * 4_000, "pw=a1b2c3 " * 2_000, f"-----BEGIN {KEY}-----" * 640,
     f"-----END {KEY}-----" + ("A" * 33 + "\\n") * 570],
    ids=lambda text: text[:12],
)  # fmt: skip
def test_a_text_made_to_be_slow_takes_no_time(text):
    began = time.thread_time()
    redact(text)
    assert time.thread_time() - began < 0.8


@pytest.mark.parametrize(("before", "behind"), [("", f"/{drawn(20)}"), ("hunter2#", "!tail9")])
def test_a_token_within_a_longer_secret_leaves_none_of_it(before, behind):
    assert redact(f"DB_PASSWORD={before}{TOKEN}{behind} now").text == (
        "DB_PASSWORD=[redacted:github-pat] now"
    )


def test_a_token_that_runs_into_a_key_leaves_none_of_it():
    token = "ey" + f"J{drawn(20)}.eyJ{drawn(30)}"
    assert redact(f"see {token}{BLOCK[-300:]}").text == "see [redacted:private-key]"


def test_what_a_place_ends_is_not_joined_with_what_stands_behind_it():
    url = f"https://x-access-token:{drawn(30)}7@github.com/acme/api"
    assert redact(url).text == "https://x-access-token:[redacted:url-password]@github.com/acme/api"


def test_the_password_of_a_call_that_goes_over_two_lines_is_taken_out():
    call = "curl -H 'Accept: a;q=1' \\\n  -u deploy:{} https://ci.internal"
    assert redact(call.format(f"{drawn(14)}7")).text == call.format("[redacted:password]")


def test_a_key_that_a_call_gives_as_its_user_is_taken_out():
    call = 'curl -u "{}" https://ci.internal'
    assert redact(call.format(f"{drawn(14)}7!:")).text == call.format("[redacted:password]")
    assert (
        redact("curl -u deploy: https://ci.internal").text == "curl -u deploy: https://ci.internal"
    )


def test_every_rule_compiles_and_has_a_keyword():
    rules = {rule for found in rule_set().by_keyword.values() for rule in found}
    assert len(rules) > 240
    assert all(rule.pattern.pattern and all(rule.keywords) for rule in rules)


async def test_a_memory_that_lost_a_secret_is_tagged_and_its_caller_hears_of_it(me):
    kept = await me.remember(f"The deploy job logs in with {TOKEN}.", tags=["Deploy"])
    view = await me.see(kept.id)
    assert view.content == "The deploy job logs in with [redacted:github-pat]."
    assert view.tags == ["Deploy", "redacted"]
    assert kept.notes == ["a secret was taken out: github-pat"]


async def test_an_edit_keeps_the_tags_and_adds_the_one_that_says_so(me):
    kept = await me.remember("The deploy job logs in by itself.", tags=["deploy"])
    reply = await me.reflect(kept.id, "edit", content=f"The deploy job logs in with {TOKEN}.")
    assert reply.notes[0] == "a secret was taken out: github-pat"
    assert (await me.see(kept.id)).tags == ["deploy", "redacted"]
    assert all(TOKEN not in one.content for one in await me.history(kept.id))


async def test_the_same_statement_with_another_secret_is_known_already(me):
    first = await me.remember(f"The deploy job logs in with {TOKEN}.")
    second = await me.remember("The deploy job logs in with " + "gh" + f"p_{drawn(36)}.")
    assert (second.id, second.outcome) == (first.id, "already_known")


@pytest.mark.parametrize("content", [TOKEN, f"token: {TOKEN}", BLOCK, f"DB_PASSWORD={drawn(14)}7"])
async def test_a_text_that_is_hardly_more_than_a_secret_is_refused(me, content):
    with pytest.raises(OnlyASecret) as refused:
        await me.remember(content)
    assert content not in refused.value.message
    assert await me.count() == 0


async def test_what_grew_by_a_redaction_can_be_replaced_all_the_same(me):
    tags = [f"tag{number}" for number in range(20)]
    secret = f"DB_PASSWORD={drawn(7)}7 "
    kept = await me.remember(f"The deploy job logs in with {TOKEN}.", tags=tags)
    long = "It is as it is. " + secret * 900
    done = await me.reflect(kept.id, "supersede", content=long)
    assert done.superseded == [kept.id]
    assert set((await me.see(done.id)).tags) == {*tags, "redacted"}


async def test_who_forgets_or_restores_is_kept_without_a_secret(me):
    kept = await me.remember("The port is 8080.")
    actor = f"bot {TOKEN}"
    await forget(me.services.writes, ForgetRequest(id=kept.id, actor=actor))
    await restore(me.services.writes, RestoreRequest(id=kept.id, actor=actor))
    actors = {one.actor for one in await me.history(kept.id)}
    assert actors == {"agent", "bot [redacted:github-pat]"}
