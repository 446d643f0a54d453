"""The words with which a message waits for its person, or hands over what only a person can do."""

# ruff: noqa: E501 - a pattern is read as one line
from __future__ import annotations

from hitherto_server.core.phrases import phrases

ASKS = phrases(r"""
    (?:shall|should|may|can|could) I
    (?:do|would|did|are|have|will|could|can) you
    (?:want|need|like) me to
    (?:which|what|where|how|who|when)\b.*\b(?:you|your)
    which (?:one|option|of|approach|way)
    option [AB1-9]\b.*\bor
    (?:is|does|would|are) (?:that|this|it|these|they)\b.*\b(?:ok|okay|right|fine|acceptable)
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
    (?:let me know|tell me) if you(?:'d| would)? (?:agree|approve)
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
    (?:tell me|say|let me know|give me a sign) (?:if|whether) (?:that|this|it|I)
    say (?:the word|so|which|when|yes)
    I(?:'d| would)? (?:need|want|like) (?:a|an|your) (?:\w+ )?(?:go|go-ahead|ok|okay|yes|nod)
    I(?:'d| would)? (?:need|want|like) (?:a|an|your) (?:\w+ )?(?:decision|answer|choice|approval)
    (?:need|missing|want|require|open)\b.{0,30}\bfrom you
    (?:depends|hinges) on (?:your|you|what you|which you)
    (?:pending|without|until (?:I have|there is)) your
    I(?:'ve| have)? (?:paused|am holding|'m holding|held off)
    if (?:that's|that is|this is|it's) (?:ok|okay|fine|all right|what you want)
    unless you (?:object|say|want|prefer|tell)
    up to you
    I(?:'d| would) rather (?:ask|hear|know|have your)
    sag (?:mir )?Bescheid
    gib (?:mir )?Bescheid
    dis-moi
    avísame
""")
OPEN_POINT = phrases(r"""
    (?:I have|one|a|two|some|\d) (?:quick |open )?questions?\b(?! is whether)
    before (?:I|we) (?:write|start|begin|go|do|change|touch|build|decide)\b.{0,60}
    I (?:don't|do not) know (?:which|what|whether|if|how)
    (?:isn't|is not|not) (?:clear|decided|settled)
    (?:eine|zwei) fragen?|une question|una (?:pregunta|duda)|bevor ich|avant de|antes de (?:empezar|seguir)
""")
"""Says that something is to be asked: then a question that follows is it, wherever it stands."""
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
    authenticat(?:e|or)
    consent screen
    password
    passphrase
    fingerprint
    device approval
    SSO
""")
"""What asks who somebody is."""
LACKS = phrases(r"""
    I (?:can't|cannot|couldn't|could not|may not|lack|have no|don't have|do not have)
    I(?:'m| am) (?:not (?:able|allowed)|unable|stuck|blocked)
    (?:my|this) (?:\w+ ){0,2}(?:lacks?|has no|isn't|is not|doesn't|does not|can't|cannot|may not)
    (?:isn't|is not|aren't|are not) (?:plugged in|connected|attached|reachable)
    (?:no|without|lacks?|missing) (?:\w+ ){0,3}(?:access|permissions?|rights|scopes?|credentials)
    permission denied
    blocked (?:by|on|at|until)
""")
"""Says that the agent has no hands, no rights or no way."""
OUT_OF_REACH = phrases(r"""
    access|permissions?|rights|roles?|credentials|approvals?|licen[cs]es?|subscription
    admin\w*|owner|maintainer|billing|account
    console|portal|dashboard
    VPN|USB|dongle|token|smart ?card|cable|board|phone|handset|printer
    (?:a|your|the) (?:Mac|iPhone|iPad|Windows (?:machine|box|PC))
""")
"""What an agent at a command line often can't get at."""
HANDS_OVER = phrases(r"""
    please
    you(?:'ll| will)? (?:need|have) to
    needs? you to
    could you
    I have no (?:credentials|access|password)
    enter (?:it|the code) in
    (?:on|at|from) your (?:machine|phone|desk|side|end|device)
""")
"""Asks a step of the reader."""
ONLY_OTHERS = phrases(r"""
    (?:step|part|rest|upload|install\w*|login|account|decision) is (?:yours|for whoever|for you|up to|with your \w+)
    (?:needs?|wants?|requires?|asks for) your (?:\w+ )?(?:account|login|password|code|token|touch id|face id|fingerprint|hands?|approval|signature|credentials)
    (?:someone|somebody|whoever|anyone) (?:with|who has|at|on)\b.{0,60}\b(?:has to|have to|must|needs? to|can|could|should)
    (?:he|she|they|your \w+(?: \w+)?|an? \w+ of\b.{0,30}|the (?:\w+ ){0,3}(?:owner|admin\w*|holder|maintainer|director|manager)) (?:has to|have to|must|needs? to)
    (?:it|this|that|which) (?:now |still )?(?:needs?|takes|wants) (?:someone|somebody|a person|a human) to
    only (?:you|someone|an? \w+|the (?:\w+ ){1,2})\b.{0,20}\bcan
    (?:you|someone|somebody|an? (?:admin\w*|owner|maintainer|person)|whoever \w+)\b.{0,15}\b(?:must|has to|needs? to|would have to|will have to|have to)
    (?:needs?|requires?|takes?) (?:someone|somebody|a person|a human|an? (?:\w+ )?(?:admin\w*|owner))
    (?:has|have|needs?) to be \w+ (?:by hand|manually|by (?:you|someone|an? \w+))
    by hand
    yourself
    on your own
    only you
    out of my hands
    I(?:'m| am) (?:stuck|blocked)
""")
"""Says that it takes another than the agent."""
TELLS_OF_A_TEXT = phrases(r"""
    (?:docs?|documentation|page|guide|readme|section|text|message|copy|help|tooltip|changelog)\b.{0,20}\b(?:explains?|says?|describes?|states?|mentions?|reads?|covers?|tells?)
    (?:explain|document|describe|mention)(?:s|ed)? (?:that|how|which|who|when)
""")
"""Then others' steps are what the work is about."""
STEP_OF_HANDS = phrases(r"""
    unlock|plug|hook (?:it|them|the \w+) up|connect|attach|press|hold|tap|touch|scan|insert|swap|rotate|turn the
    (?:switch|turn) (?:it |the \w+ )?on|log(?:ged)? (?:in|on)|sign in|re-?authenticate|approve|accept|grant|invite|renew|top up
    put (?:it|the)|enter (?:it|the)|bring
    entsperr\w*|einstecken|anschließ\w*|anmelden|freigeben|déverrouill\w*|branche[rz]|connect(?:ez|e-toi)|desbloque\w*|conecta\w*|inicia sesión
""")
"""What takes hands, or what somebody may do."""
ASKED_OF = phrases(r"""
    please|kindly|could you|can you|would you|you(?:'ll| will)? (?:need|have) to|needs? you to
    bitte|kannst du|könntest du|können sie|s'il (?:te|vous) plaît|peux-tu|pourriez-vous|por favor|puedes|podrías
""")
STUCK = phrases(r"""
    (?:isn't|is not|aren't|are not|not) (?:plugged in|connected|attached|reachable|authorized|allowed|here)
    locked|unavailable|offline|forbidden|unauthorized|denied|expired|ran out|prompt|lists? no|no device|no \w+ (?:is )?(?:connected|attached)
    waits? for|stops at|refus\w+|only has|has only|40[13]|missing|not yet|it now needs|gesperrt|nicht angeschlossen|abgelaufen|verrouillé|expiré|bloqueado|caducad\w+
""")
"""Says what keeps the agent from it."""
AT_LEISURE = phrases(r"""
    when you (?:get around to it|have a (?:moment|minute|chance)|like|find the time)|at some point|have a look|if you (?:like|want|wish)
""")
"""Then nothing waits for the step."""
PERSONS_STEP = phrases(r"""
    (?:please|you (?:need|have) to) (?:log|sign) in
    solve the captcha
    enter it in the
    touch the key
    only you can approve
    run gh auth login
""")
