"""What an event must not leave on the disk while no server takes it: secrets beyond doubt."""

# Without `re`: importing it takes longer than all else that a hook does. The server's gate is the
# thorough one; the server hashes an event through this, so that both ways give one event one hash.

PREFIXES = (
    b"AKIA", b"ASIA", b"AIza", b"GOCSPX-", b"ya29.", b"ghp_", b"gho_", b"ghu_", b"ghs_", b"ghr_",
    b"github_pat_", b"glpat-", b"xoxb-", b"xoxp-", b"xoxa-", b"xoxs-", b"xapp-", b"sk-",
    b"sk_live_", b"sk_test_", b"rk_live_", b"whsec_", b"npm_", b"pypi-", b"hf_", b"SG.",
    b"dop_v1_", b"dckr_pat_", b"shpat_", b"hvs.", b"dapi", b"lin_api_", b"ntn_", b"figd_",
    b"sbp_", b"tskey-", b"gsk_", b"eyJ", b"AGE-SECRET-KEY-", b"glsa_", b"sntryu_", b"NRAK-",
    b"PMAK-",
)  # fmt: skip
WORDS = (
    b"password", b"passwd", b"passphrase", b"pwd", b"secret", b"token", b"api_key", b"apikey",
    b"api-key", b"access_key", b"accesskey", b"private_key", b"account_key", b"accountkey",
    b"authorization: bearer", b"authorization: basic", b"authorization: token",
)  # fmt: skip
LETTERS = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
DIGITS = b"0123456789"
NAME = LETTERS + DIGITS + b"_-."
VALUE_ENDS = b" \t\r\n\"'`<>,;(){}[]\\&"
KEY_BEGINS, MARK = b"-----BEGIN ", b"-----"
LEAST_TOKEN, LEAST_VALUE, MOST = 20, 8, 4096
TAKEN_OUT = b"[redacted:spooled]"


def without_secrets(body: bytes) -> bytes:
    """The event's JSON, with what is certainly a secret as `[redacted:spooled]`."""
    for find in (key_blocks, passwords_in_urls, vendor_tokens, assigned):
        kept, at = [], 0
        for start, end in find(body):
            kept.append(body[at:start])
            at = end
        body = TAKEN_OUT.join([*kept, body[at:]])
    return body


def positions(body: bytes, needle: bytes) -> list[int]:
    """Every place of the needle."""
    found = []
    at = body.find(needle)
    while at >= 0:
        found.append(at)
        at = body.find(needle, at + len(needle))
    return found


def run_of(body: bytes, start: int, characters: bytes) -> int:
    """Where the run of such characters ends."""
    end, last = start, min(len(body), start + MOST)
    while end < last and body[end] in characters:
        end += 1
    return end


def disjoint(spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """The spans in order, without those that begin inside an earlier one."""
    kept: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        if not kept or start >= kept[-1][1]:
            kept.append((start, end))
    return kept


def key_blocks(body: bytes) -> list[tuple[int, int]]:
    """Private keys: the whole block, or to the end of the text that it is in."""
    spans, looked_at = [], 0
    for start in positions(body, KEY_BEGINS):
        label_ends = body.find(MARK, start + len(KEY_BEGINS))
        label = body[start + len(KEY_BEGINS) : label_ends].replace(b" ", b"")
        if start < looked_at or b"PRIVATEKEY" not in label or not label.isalnum():
            continue
        last = end_of_text(body, start)
        closing = body.find(b"-----END ", label_ends, last)
        end = body.find(MARK, closing + len(MARK), last) if closing >= 0 else -1
        looked_at = end + len(MARK) if end >= 0 else last
        spans.append((start, looked_at))
    return spans


def end_of_text(body: bytes, start: int) -> int:
    """Where the next quote stands, or the backslashes before it: what they escape is not cut."""
    quote = body.find(b'"', start)
    return len(body[start:quote].rstrip(b"\\")) + start if quote >= 0 else len(body)


def passwords_in_urls(body: bytes) -> list[tuple[int, int]]:
    """`scheme://user:password@host`: the password."""
    spans = []
    for at in positions(body, b"://"):
        end = at + 3
        while end < min(len(body), at + MOST) and body[end] not in b" \t\r\n\"'`<>/\\":
            end += 1
        user_ends, host_begins = body.find(b":", at + 3, end), body.rfind(b"@", at + 3, end)
        if 0 <= user_ends < host_begins - 1 and body[user_ends + 1] not in b"$<{[*%":
            spans.append((user_ends + 1, host_begins))
    return disjoint(spans)


def vendor_tokens(body: bytes) -> list[tuple[int, int]]:
    """What begins by a vendor's own prefix and goes on like chance."""
    spans = []
    for prefix in PREFIXES:
        end = 0
        for at in positions(body, prefix):
            # within one run the first prefix decides: what follows it is no more mixed than it is
            if at < end or body[max(at - 1, 0) : at].isalnum():
                continue
            end = run_of(body, at, NAME)
            if end - at >= LEAST_TOKEN and is_mixed(body[at + len(prefix) : end]):
                spans.append((at, end))
    return disjoint(spans)


def assigned(body: bytes) -> list[tuple[int, int]]:
    """The value after `password=`, `"token": "…"` and the like."""
    lowered, spans = body.lower(), []
    for word in WORDS:
        name_ends = end = 0
        for at in positions(lowered, word):
            if at < name_ends:
                continue
            name_ends = run_of(body, at + len(word), NAME)
            start = value_after(body, name_ends)
            if start and start >= end:  # else it lies in a value that was looked at
                end = value_end(body, start)
                if end - start >= LEAST_VALUE and is_mixed(body[start:end]):
                    spans.append((start, end))
    return disjoint(spans)


def value_after(body: bytes, at: int) -> int:
    """Where the value begins that is assigned to the name that ends here; 0 if none is."""
    sign = run_of(body, at, b" \t\"'\\`]")
    after = run_of(body, sign, b":=>")
    is_scheme = body[at - 6 : at].lower() in (b"bearer", b" basic", b" token")
    if after == sign and not (is_scheme and sign > at):
        return 0
    start = run_of(body, after, b" \t\"'\\`")
    return 0 if start >= len(body) or body[start] in b"$<{[*%/" else start


def value_end(body: bytes, start: int) -> int:
    """Where a value ends: at what cannot be in one."""
    end, last = start, min(len(body), start + MOST)
    while end < last and body[end] not in VALUE_ENDS:
        end += 1
    return end


def is_mixed(value: bytes) -> bool:
    """Whether letters and digits are mixed, as in what was drawn by chance."""
    digits = sum(character in DIGITS for character in value)
    return digits >= 2 and any(character in LETTERS for character in value)  # noqa: PLR2004
