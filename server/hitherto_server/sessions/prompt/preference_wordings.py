"""The wordings of what a person wants from now on, and of what is about them and no project."""

# ruff: noqa: E501 - a pattern is read as one line
from __future__ import annotations

from hitherto_server.sessions.prompt import habits

EXPLICIT = (
    r"\b(?:from now on|from here on|from today on|going forward|as of now|for future reference)\b|\bin future\b|^in the future\b",
    r"^(?=.*\b(?:you|please|always|never|don't|do not)\b).*\bin the future\b",
    r"^(?:please )?(?:remember|keep in mind|bear in mind)(?: that\b|\s*[:,])",
    r"\b(?:ab jetzt|ab sofort|von jetzt an|von nun an|in zukunft|merk dir)\b|\bk\u00fcnftig\b",
    r"\b(?:\u00e0 partir de maintenant|d\u00e9sormais|dor\u00e9navant|souviens-toi que|retiens que)\b",
    r"\b(?:a partir de ahora|de ahora en adelante|recuerda que|d'ora in poi|a partir de agora)\b",
    r"\u4ee5\u540e(?:\u8bf7|\u90fd|\u4e0d\u8981|\u522b)|\u4ece\u73b0\u5728(?:\u8d77|\u5f00\u59cb)|\u8bf7\u8bb0\u4f4f",
    r"\u4eca\u5f8c\u306f|\u3053\u308c\u304b\u3089\u306f|\u899a\u3048\u3066\u304a\u3044\u3066",
    r"\b(?:\u043e\u0442\u043d\u044b\u043d\u0435|\u0432\u043f\u0440\u0435\u0434\u044c|\u0437\u0430\u043f\u043e\u043c\u043d\u0438)\b",
)
"""Asks outright for something to be kept."""
WISH = (
    r"\bi(?:'d)? (?:really |strongly |generally |usually |always |just )*(?:want|like|prefer|expect|need|hate|dislike|(?:don't|do not) (?:want|like)|can't stand|won't (?:merge|accept|read))\b|\bdrives? me (?:nuts|mad|crazy)\b",
    r"\bich (?:will|m\u00f6chte|mag|hasse|bevorzuge|w\u00fcnsche)\b",
    r"\bje (?:veux|pr\u00e9f\u00e8re|d\u00e9teste|n'aime pas|ne veux)\b|\b(?:quiero|odio|no me gusta|voglio|preferisco|quero|prefiro)\b",
    r"\u6211(?:\u559c\u6b22|\u4e0d\u559c\u6b22|\u5e0c\u671b|\u4e0d\u60f3)",
)
LASTS = (
    r"\b(?:always|never|ever|whenever|in general|generally|as a rule|by default|also next time|every time|all the time|everywhere|not only (?:here|now|in this case)|(?:in|for|with) (?:everything|anything|whatever)|anything (?:else|new)|for all (?:of )?(?:my|the) \w+)\b",
    r"\b(?:nie|niemals|immer|grunds\u00e4tzlich|generell|\u00fcberall|jedes ?mal|jamais|toujours|en g\u00e9n\u00e9ral|siempre|nunca|jam\u00e1s|sempre|mai)\b",
    r"\u603b\u662f|\u6c38\u8fdc|\u4ece\u4e0d|\u5fc5\u305a|\u5e38\u306b",
)
PREFERS = (
    *habits.HABITS,
    r"\bthat(?:'s| is) how i (?:work|like it|want it)\b",
    r"^(?:please )?(?:always|never) [^.]*\b(?:me|my|myself|i)\b",
    r"^whenever (?:you|i)\b",
    r"\b(?:whatever|everything|anything) you (?:write|do|send|show)\b[^.]*\bme\b",
    r"\bthat goes for (?:everything|all)\b|\bkeep (?:that|this|it) in mind\b|\bfor all (?:of )?my \w+\W*$",
    r"\bkeep (?:your |the |all )?(?:answers?|replies|explanations|summaries|messages) (?:very )?(?:short|brief|concise|terse|in \w+)\b|\bask me (?:always |first |again )*before\b",
    r"\b(?:for|in) (?:all|every|any) (?:the )?[\w-]+ (?:that )?(?:i|you) (?:own|have|write|do|touch|send|make|run)\b|\bnot now,? not ever\b",
    r"^(?:ok |and |also )*(?:the )?next time you\b|\bthe next time you\b",
    r"^(?:please |ok |and |also )*(?:answer|reply|respond)(?: to)?(?: me)? (?:short|shortly|briefly|concisely|tersely|in (?:english|german|french|spanish|\w+ese|\w+ian|\w+ish))\b",
    r"\b(?:h[a\u00e1]blame|contesta\w*|responde\w*) en \w+|\bantworte?\w* (?:mir )?(?:immer )?(?:kurz|knapp|auf \w+)|\br\u00e9ponds\w*(?:-moi)? en \w+",
    r"^(?:please |ok |and |also )*(?:don't|do not|never|stop) (?:thank\w*|apologi[sz]\w*|prais\w*|ask\w*|summari[sz]\w*|explain\w*)\b[^.?]*\b(?:all the time|every time|in your \w+|me|just)\b",
    r"^(?:please |ok |and |also )*(?:when(?:ever)? (?:i (?:say|write|ask|mention)|you (?:report|say|show|write|answer|ask|send|explain|propose|present|quote))|before you (?:write|touch|change|delete|commit|push|run|start))\b[^?]*$",
    r"^(?:don't|do not) ever\b[^.]*\b(?:me|my|i)\b",
    r"^(?:prefiero|preferir\u00eda) que\b|^je pr\u00e9f\u00e8re que\b|^ich bevorzuge\b",
)
"""States a preference by itself."""
ABOUT_US = (
    *habits.OF_THE_AGENT,
    r"\b(?:i|i'm|i'd|i've|me|my|myself|ich|mir|mich|mein\w*|je|moi|mes|yo|prefiero|mostr\w+me|eu|io|mi)\b|\bj'",
    r"\b(?:answers?|reply|replies|responses?|explanations?|explain|ask|commits?|commit messages?|summar(?:y|ies)|diffs?|emojis?|bullet points|apologi[sz]\w+|code comments)\b",
    r"\b(?:antworte\w*|antworten|erkl\u00e4r\w*|frag\w*|r\u00e9ponds|r\u00e9ponses|demande|respuestas?|responde\w*|h[a\u00e1]blame|contesta\w*|pregunta|explica)\b",
    r"[\u6211\u79c1]|\u56de\u7b54|\u304f\u3060\u3055\u3044",
)
"""Speaks of the person, or of how an agent talks and works with them."""
OF_THE_PROJECT = (
    r"\b(?:this|the|our|that|each|every) (?:\w+ )?(?:repo|repository|project|codebase|app|application|service|module|package|api|database|table|class|file|endpoint|price|team)s?\b",
    r"\b(?:we|our|us|ours|here)\b|\bin (?:production|prod|staging)\b",
    r"\b(?:wir|uns|unser\w*|hier|dieses? projekt\w*|nous|notre|nos|ici|ce projet|nosotros|nuestr\w+|aqu\u00ed|este proyecto)\b",
    r"\u6211\u4eec|\u8fd9\u4e2a\u9879\u76ee|\u3053\u306e(?:\u30d7\u30ed\u30b8\u30a7\u30af\u30c8|\u30ea\u30dd\u30b8\u30c8\u30ea)",
)
"""Speaks of one project, whatever else it speaks of."""
PASSING = (
    r"\?\W*$",
    r"\b(?:for now|right now|just this once|this once|this time|for the moment|at the moment|temporar\w+|today|tonight|until (?:i|we|you|then|tomorrow))\b",
    r"\b(?:for|in) this (?:one|file|function|test|case|pr|commit|task|method|branch)\b",
    r"\b(?:diesmal|vorerst|f\u00fcr dieses mal|heute|cette fois|pour l'instant|esta vez|por ahora|hoy)\b|\u8fd9\u6b21|\u4eca\u56de",
)
"""A question, or said of the moment."""
ANOTHERS = (
    r"^[\w .,'-]{1,60}\b(?:says?|said|wrote|writes|told (?:me|us)|asks?|asked|wants|schreibt|sagt|sagte|dit|dice)\b\s*[:,]",
    r"^(?:please )?(?:translate|rewrite|rephrase|proofread|e-?mail|message|letter|\u00fcbersetze?|traduis|traduce)\b[^:]*:",
    r"\b(?:not true|was wrong|(?:was|is) a joke|just kidding)\b",
    r"\bI (?:always|never|still|keep) (?:get|see|got|hit)\b|\b(?:want|need|like|hate that) (?:the|this|that|a|an|my|our) [\w -]{1,30}?\b(?:to (?:always|never)|always|never)\b",
)
"""What another said, a text to work on, what is taken back, or what a program is to do."""
OPENERS = r"^(?:please note|note|important|new rule|rule|one (?:more )?thing|btw|p\.?s\.?|also|reminder|bitte)\s*:\s*"
TOLD_OF = (
    r"[:\"\u201c\u201e\u00ab]",
    r"\b(?:says?|said|wrote|writes|write|asks?|asked|wants|told|which|whether|if|when|text|word|string|variable|checks?|tests?|rename|translate|story|parse\w*)\b",
)
"""Before the words that ask for something to be kept: then a text is told of, in which they stand."""
LEADS = r"^(?:please |and |also |btw,? |by the way,? )?(?:remember|keep in mind|bear in mind)(?: that\b|\s*[:,])\s*"
