"""What is certainly a secret does not wait on the disk; all else waits as it came."""

from __future__ import annotations

import json
import random
import string
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hitherto_hooks.masking import TAKEN_OUT, without_secrets
from hitherto_server.sessions.call import hash_of

UPPER, KEY = string.ascii_uppercase, "RSA " + "PRIVATE KEY"
DRAW = random.Random(3)


def drawn(count: int, characters: str = string.ascii_letters + string.digits) -> str:
    return "".join(DRAW.choices(characters, k=count))


KEY_LINES = "\n".join(drawn(64) for _ in range(6))
SECRETS = {
    "a GitHub token": ("the job uses {}, rotate it", "gh" + "p_" + drawn(36)),
    "an AWS key": ("key {} in eu-central-1", "AK" + "IA" + drawn(14, UPPER) + "27"),
    "an Anthropic key": ("export ANTHROPIC_API_KEY={}", "sk-" + "ant-api03-" + drawn(90) + "AA"),
    "a JSON web token": ("Authorization: Bearer {}", "ey" + "J" + drawn(30) + ".eyJ" + drawn(60)),
    "an opaque bearer": ("curl -H 'Authorization: Bearer {}' localhost", drawn(40)),
    "a password in a URL": ("postgres://app:{}@db.internal/orders", drawn(18)),
    "a password": ("DB_PASSWORD={} make test", drawn(16) + "42"),
    "a quoted password": ('{{"password": "{}"}}', drawn(16) + "42"),
    "a colon password": ("the yaml says\n  api_key: {}\n", drawn(30) + "42"),
    "a private key": (f"-----BEGIN {KEY}-----\n{{}}\n-----END {KEY}-----", KEY_LINES),
    "a key that was cut off": ("-----BEGIN " + "PRIVATE KEY-----\n{}", KEY_LINES),
}  # fmt: skip
ORDINARY = (
    "Why does pk_orders_customer_id fail since commit 9fceb02d0ae598e95dc970b74767f19372d61af8?",
    "raise max_tokens to 4096 and look at password_reset_token_ttl_minutes",
    "password: ${DB_PASSWORD}, token: <your-token>, api_key = os.environ['KEY']",
    "the token endpoint is http://localhost:8080/api/v1/auth/token?next=1",
    "-----BEGIN PUBLIC KEY-----\nMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE\n-----END PUBLIC KEY-----",
    "order 7b0e4c1e-6c36-4b5a-8f2e-0a4b5f6a7c8d was billed twice",
)


def event(prompt: str) -> bytes:
    return json.dumps({"session_id": "s1", "prompt": prompt, "cwd": "/p"}).encode()


@pytest.mark.parametrize("what", SECRETS)
def test_what_is_certainly_a_secret_is_taken_out_and_the_event_stays_an_event(what):
    template, secret = SECRETS[what]
    body = without_secrets(event(template.format(secret)))
    read = json.loads(body)
    assert all(line not in read["prompt"] for line in secret.split("\n"))
    assert TAKEN_OUT.decode() in read["prompt"]
    assert (read["session_id"], read["cwd"]) == ("s1", "/p")


@pytest.mark.parametrize("prompt", ORDINARY)
def test_an_ordinary_prompt_waits_as_it_came(prompt):
    assert without_secrets(event(prompt)) == event(prompt)


@pytest.mark.parametrize("what", SECRETS)
def test_a_spooled_event_has_the_same_hash_as_when_it_comes_directly(what):
    template, secret = SECRETS[what]
    raw = event(template.format(secret))
    assert hash_of(without_secrets(raw)) == hash_of(raw)


@pytest.mark.parametrize("text", [f"in('-----BEGIN {KEY}-----')", KEY_LINES])
def test_an_event_that_quotes_the_beginning_of_a_key_stays_an_event(text):
    code = f'if "-----BEGIN {KEY}-----{text}" in body: return "a key"'
    assert json.loads(without_secrets(event(code)))["prompt"].endswith('" in body: return "a key"')


@pytest.mark.parametrize(
    "piece", ["sk-", "eyJ", "SG.", "token", "token:::", "a://", "password=a1b2c3d4 "]
)
def test_an_event_made_to_be_slow_takes_no_time(piece):
    body = event(piece * (200_000 // len(piece)))
    began = time.thread_time()
    without_secrets(body)
    assert time.thread_time() - began < 2


PIECES = [b"password", b"token", b"=", b": ", b'"', b'\\"', b"a1b2c3d4e5f6", b"://u:", b"@h", b" "]
PIECES += [b"-----BEGIN ", b"PRIVATE KEY-----", b"-----END ", b"gh" + b"p_" + b"A1b2C3d4" * 4, b"{"]
ASSEMBLED = st.lists(st.sampled_from(PIECES), max_size=14).map(b"".join)


@given(ASSEMBLED | st.binary(max_size=200))
def test_doing_it_twice_changes_nothing_and_no_input_ends_it(body):
    once = without_secrets(body)
    assert without_secrets(once) == once


def test_the_hook_itself_writes_no_secret_into_the_spool(hook):
    for template, secret in SECRETS.values():
        hook("UserPromptSubmit", event(template.format(secret)))
    kept = b"".join(record.body for record in hook.spooled())
    for _, secret in SECRETS.values():
        assert all(line.encode() not in kept for line in secret.split("\n"))
    assert kept.count(b'"session_id"') == len(SECRETS)
