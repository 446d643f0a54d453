"""By rule: does an agent's last message wait for its person, or can only a person go on?"""

from __future__ import annotations

import re

from hitherto_server.core.phrases import phrases

LAST_CHARS = 1500
LAST_SENTENCES = 4
SHORT_CODE = 60
CODE = re.compile(r"```.*?(?:```|\Z)|`[^`\n]*`|^>.*$|\"[^\"\n]*\"", re.DOTALL | re.MULTILINE)
"""What is quoted is somebody else's question."""
MARKS = "?\uff1f\u061f"
END = "\u3002\uff1f\uff01"
SENTENCE = re.compile(rf"(?<=[.!?{END}])[\"')\]]*\s+|\n+|(?<=[{END}])")
QUESTION = re.compile(rf"[{MARKS}][\"'*_)\]\s]*$")

ASKS = phrases(r"""
    (?:shall|should|may|can|could) I
    (?:do|would|did|are|have|will|could|can) you
    (?:want|need|like) me to
    (?:which|what|where|how|who|when)\b.*\b(?:you|your)
    which (?:one|option|of|approach|way)
    option [AB1-9]\b.*\bor
    is (?:that|this) (?:ok|okay|right|fine|acceptable|what you want)
    ok(?:ay)? (?:to|with you|if I)
    ready (?:to|for me)
    proceed
    go ahead
    prefer
    or (?:should|would|do|shall|rather)
""")
OTHER_ASKS = phrases(
    r"""
    ^(?:soll(?:en|te)? (?:ich|wir)|möchtest du|willst du|welche|darf ich|passt das)
    ^¿
    ^(?:souhaitez|voulez|veux|dois|quelle?s?|préfér)
    ^(?:quer|devo|posso|qual|prefere)
    (?:ますか|でしょうか|ですか|吗|呢)$
    """,
    whole_words=False,
)
TELLS_TO_ANSWER = phrases(r"""
    (?:let me know|tell me) (?:which|what|how|when|once|your|whether)
    (?:let me know|tell me) if you(?:'d| would)? (?:want|like|prefer|agree|approve)
    I(?:'ll| will) (?:wait|hold off|pause|stop here)\b.*\b(?:you|your|until|before|for)
    wait(?:ing)? (?:for|on) (?:you|your)
    awaiting your
    needs? your
    (?:please|kindly) (?:confirm|choose|decide|pick|approve|answer|reply|send|provide|share|paste)
    (?:please|kindly) (?:review and|run|tell|clarify|specify|advise|complete|unlock|log in|sign in)
    once you (?:confirm|approve|decide|answer|have|are|send|provide)
    once you've
    I need (?:you|to know|an? (?:decision|answer))\b.*\b(?:from you|you to|before|which|whether)
    (?:hear|a word) from you
    (?:it's |that's )?(?:your call|up to you)
    tell me the
    sag (?:mir )?Bescheid
    gib (?:mir )?Bescheid
    dis-moi
    avísame
""")
RHETORICAL = phrases(r"""
    ^(?:so |but |and )?(?:why|how come)\b(?!.*\byou\b).*
    ^(?:what|how) (?:changed|does|did|was|is|are)\b(?!.*\byour?\b).*
    ^the (?:result|cause|reason|catch|fix)\W*$
    ^next(?: steps)?\W*$
    anything else
    isn't it
    who knows
    ^questions\W*$
""")
POLITE = phrases(r"""
    if you (?:have|need|run into|see|hit|spot|notice)
    if (?:there|anything|something)
    if you want (?:anything|any|more|further)
    feel free
    happy to
""")
NEEDS_A_PERSON = phrases(r"""
    (?:log|sign)(?:ing|ged)? ?-?(?:in|me out)
    log(?:ged)? .{0,10}\bout
    login
    captcha
    two-factor
    2FA
    MFA
    one-time (?:code|password)
    OTP
    TAN
    verification code
    security key
    passkey
    authenticate
    authenticator app
    consent screen
    password
    passphrase
    fingerprint
    device approval
    SSO
""")
HANDS_OVER = phrases(r"""
    please
    you(?:'ll| will)? (?:need|have) to
    needs? you to
    I can(?:'t|not)
    could you
    only you
    out of my hands
    by hand
    I(?:'m| am) (?:stuck|blocked)
    blocked (?:by|on|at)
    enter (?:it|the code) in
    I have no (?:credentials|access|password)
    on your (?:machine|phone)
""")
PERSONS_STEP = phrases(r"""
    (?:please|you (?:need|have) to) (?:log|sign) in
    solve the captcha
    enter it in the
    touch the key
    only you can approve
    run gh auth login
""")


def last_sentences(message: str) -> list[str]:
    """Return how a message ends, without what it quotes."""
    return sentences(CODE.sub(" … ", message[-LAST_CHARS:]))[-LAST_SENTENCES:]


def sentences(prose: str) -> list[str]:
    """Return a text's sentences and the items of its lists."""
    found = (one.strip(" \t*_-#>•") for one in SENTENCE.split(prose))
    return [one for one in found if one]


def asks_person(message: str) -> bool:
    """Tell whether nothing goes on until a person answers or does something."""
    return waits(message) or is_blocked(message)


def waits(message: str) -> bool:
    """Tell whether a message ends with something that only its reader can answer."""
    ending = last_sentences(message)
    if any(TELLS_TO_ANSWER.search(one) and not POLITE.search(one) for one in ending):
        return True
    return any(_is_asked(one) for one in ending[-2:])


def _is_asked(sentence: str) -> bool:
    if not QUESTION.search(sentence) or RHETORICAL.search(sentence):
        return False
    return bool(ASKS.search(sentence) or OTHER_ASKS.search(sentence.rstrip(MARKS)))


def is_blocked(message: str) -> bool:
    """Tell whether a message says that only a person can go on: a login, a code, a captcha."""
    prose = CODE.sub(_short_only, message[-LAST_CHARS:]).replace("`", "")
    if PERSONS_STEP.search(prose):
        return True
    near = sentences(prose)
    pairs = [" ".join(near[at : at + 2]) for at in range(max(1, len(near) - 1))]
    return any(NEEDS_A_PERSON.search(one) and HANDS_OVER.search(one) for one in pairs)


def _short_only(found: re.Match[str]) -> str:
    text = found[0]
    return text if len(text) < SHORT_CODE and not text.startswith((">", "```")) else " … "
