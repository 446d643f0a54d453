"""By rule: does an agent's last message wait for its person, or can only a person go on?"""

from __future__ import annotations

import re

LAST_CHARS = 1500
LAST_SENTENCES = 4
CODE = re.compile(r"```.*?(?:```|\Z)|`[^`\n]*`|^>.*$", re.DOTALL | re.MULTILINE)
"""What is quoted is somebody else's question."""
SENTENCE = re.compile(r"(?<=[.!?。？！])[\"')\]]*\s+|\n+|(?<=[。？！])")
QUESTION = re.compile(r"[?？؟][\"'*_)\]\s]*$")
ASKS = re.compile(
    r"\b(?:shall|should|may|can|could) I\b|\b(?:do|would|did|are|have|will|could|can) you\b"
    r"|\b(?:want|need|like) me to\b|\b(?:which|what|where|how|who|when)\b.*\b(?:you|your)\b"
    r"|\b(?:which (?:one|option|of|approach|way)|option [AB1-9]\b.*\bor\b)|\bis (?:that|this) (?:ok"
    r"|okay|right|fine|what you|acceptable)|\bok(?:ay)? (?:to|with you|if I)\b|\bready (?:to|for me)"
    r"|\bproceed\b|\bgo ahead\b|\bprefer(?:ence)?\b|\bor (?:should|would|do|shall|rather)\b",
    re.IGNORECASE,
)
OTHER_ASKS = re.compile(
    r"^(?:soll(?:en|te)? (?:ich|wir)|möchtest du|willst du|welche|darf ich|passt das)"
    r"|^¿|^(?:souhaitez|voulez|veux|dois|quelle?s?|préfér)|^(?:quer|devo|posso|qual|prefere)"
    r"|(?:ますか|でしょうか|ですか|しょうか|吗|呢|还是.*)[?？]$",
    re.IGNORECASE,
)
TELLS_TO_ANSWER = re.compile(
    r"\b(?:let me know|tell me) (?:which|what|how|when|once|your|whether|if you(?:'d| would)? (?:want"
    r"|like|prefer|agree|are|approve))"
    r"|\bI(?:'ll| will) (?:wait|hold off|pause|stop here)\b.*\b(?:you|your|until|before|for)\b"
    r"|\b(?:waiting|wait) (?:for|on) (?:you|your)\b|\bawaiting your\b|\bneed(?:s)? your\b"
    r"|\b(?:please|kindly) (?:confirm|choose|decide|pick|approve|review and|answer|reply|send"
    r"|provide|share|paste|run|tell|clarify|specify|advise)\b"
    r"|\bonce you (?:confirm|approve|decide|answer|have|are|'ve|send|provide)\b"
    r"|\bbefore I (?:go on|continue|proceed|start|change|touch|delete|push|merge)\b.*\byou\b"
    r"|\bI need (?:you|to know|a decision|an answer|the)\b.*\b(?:from you|you to|before|decision"
    r"|which|whether|password|token|key|credentials)\b"
    r"|\bsag (?:mir )?Bescheid\b|\bgib (?:mir )?Bescheid\b|\bdis-moi\b|\bavísame\b|教えてください",
    re.IGNORECASE,
)
RHETORICAL = re.compile(
    r"^(?:so |but |and )?(?:why|how come)\b(?!.*\byou\b)|^(?:what|how) (?:changed|does|did|was|is|are)\b"
    r"(?!.*\byou\b)|\bright\?$|\bisn't it\?$|\bwho knows\?|^the (?:result|cause|reason|catch|fix)\?$"
    r"|^next( steps)?\?$|\banything else\b|\bquestions\?$|\bhelp with anything\b",
    re.IGNORECASE,
)
POLITE = re.compile(
    r"\blet me know if (?:you (?:have|need|run into|see|hit|spot|notice|want (?:anything|any|more"
    r"|further))|there|anything|something)|\bfeel free\b|\bhappy to\b|\bif you(?:'d| would)? like\b"
    r"(?!.*\?)",
    re.IGNORECASE,
)
BLOCKED = re.compile(
    r"\b(?:(?:log|sign)(?:ing)? ?-?in|login|captcha|two-factor|2fa|mfa|one-time (?:code|password)|otp"
    r"|verification code|security key|passkey|authenticat(?:e|ion)|oauth|consent screen|sudo password"
    r"|passphrase|biometric|device approval|hardware token|gh auth|aws sso|app password)\b",
    re.IGNORECASE,
)
HANDS_OVER = re.compile(
    r"\b(?:please|you(?:'ll| will)? (?:need|have) to|need(?:s)? you to|can(?:'t|not)|could(?: not|n't)"
    r"|unable to|only you|yourself|by hand|manually|I(?:'m| am) (?:stuck|blocked)|blocked (?:by|on|at)"
    r"|waiting (?:for|on)|requires? (?:you|a human|your)|enter (?:it|the code|your)|complete (?:it|the)"
    r"|in your browser|on your phone|sends? (?:you )?(?:a|the) code)\b",
    re.IGNORECASE,
)
PERSONS_STEP = re.compile(
    r"\b(?:log|sign)(?:ged)? ?-?in (?:first|manually|yourself|again|in the|to (?:the|your))"
    r"|\b(?:solve|complete) the captcha\b|\b(?:enter|send me|paste) the (?:\w+ )?(?:code|otp)\b"
    r"|\bapprove (?:it|the (?:sign|log|push|request|device))"
    r"|\brun `?(?:gh auth login|aws sso login|gcloud auth login|sudo)\b",
    re.IGNORECASE,
)


def last_sentences(message: str) -> list[str]:
    """Return how a message ends, without what it quotes."""
    prose = CODE.sub(" … ", message[-LAST_CHARS:])
    found = (one.strip(" \t*_-#>•") for one in SENTENCE.split(prose))
    return [one for one in found if one][-LAST_SENTENCES:]


def waits(message: str) -> bool:
    """Tell whether a message ends with something that only its reader can answer."""
    ending = last_sentences(message)
    if any(TELLS_TO_ANSWER.search(one) and not POLITE.search(one) for one in ending):
        return True
    return any(_is_asked(one) for one in ending[-2:])


def _is_asked(sentence: str) -> bool:
    if not QUESTION.search(sentence) or RHETORICAL.search(sentence):
        return False
    return bool(ASKS.search(sentence) or OTHER_ASKS.search(sentence))


def is_blocked(message: str) -> bool:
    """Tell whether a message says that only a person can go on: a login, a code, a captcha."""
    prose = CODE.sub(lambda found: found[0] if len(found[0]) < 60 else " … ", message[-LAST_CHARS:])
    return any(
        BLOCKED.search(one) and HANDS_OVER.search(one) or PERSONS_STEP.search(one)
        for one in SENTENCE.split(prose)
    )
