"""The wordings by which a prompt is told where no judgment comes; compiled when first used."""

# ruff: noqa: E501 - a pattern is read as one line
from __future__ import annotations

import re
from functools import cache

MOST_CHARS = 1500
"""A longer prompt is a pasted text, whose words are nobody's wishes."""

FORMERLY = (
    r"(?:last (?:time|week|night|month|monday|tuesday|wednesday|thursday|friday|saturday|sunday)"
    r"|yesterday|(?:from|on|since) (?:monday|tuesday|wednesday|thursday|friday|saturday|sunday)|the other day|this morning|earlier today|(?:last|previous|earlier|prior) (?:session|conversation|chat))"
)
LOOKUP = (
    # English
    r"\b(?:our|in (?:the|our|an?|my)|from (?:the|our)) (?:last|previous|earlier|prior|former) (?:session|conversation|chat)s?\b(?!['\u2019]s|\s+(?:list|table|page|view|store))",
    r"\bour (?:last|previous|earlier) (?:talk|discussion)\b",
    rf"\b(?:what|where|which|how|did|had)\b[^.?\n]{{0,50}}\b(?:we|you|i)\b[^.?\n]{{0,70}}\b{FORMERLY}\b",
    rf"\b{FORMERLY}\b[^.?\n]{{0,30}}\b(?:we|you)\b[^.?\n]{{0,60}}\?",
    rf"\byou (?:told|gave|showed|suggested|proposed|explained|recommended|found|mentioned|wrote)\b[^.?\n]{{0,60}}\b{FORMERLY}\b",
    r"\bwhere (?:we|you|i) (?:had )?(?:left off|stopped|broke off|ended up)\b|\bwhere (?:were|was) (?:we|you|i)\b",
    r"\bpick(?:ing)? up (?:the thread|where|from where)\b",
    r"\bwhat (?:were|was) (?:you|we) (?:in the middle of|working on|doing|up to)\b",
    r"\bhow far (?:had|have|did) (?:you|we) (?:come|got|gotten|get)\b",
    r"\bdid (?:i|we) (?:already )?(?:ask|tell|talk|discuss|finish)\b[^.?\n]{0,60}\b(?:before|earlier|already)\b",
    r"\b(?:find|search|show|look up)\b[^.?\n]{0,20}\b(?:chat|conversation|session) (?:in which|where|when|that|about)\b[^.?\n]{0,20}\b(?:we|you|i)\b",
    r"\bwhich (?:chat|conversation|session) (?:was|were)\b",
    # German
    r"\b(?:letztes mal|letzten mal|beim letzten mal|neulich|(?:letzten|vorigen|fr\u00fcheren) (?:sitzung|session|gespr\u00e4ch))\b[^.\n]{0,60}\b(?:wir|du|ich)\b|\b(?:wir|du|ich)\b[^.\n]{0,30}\b(?:letztes mal|beim letzten mal|neulich|(?:letzten|vorigen|fr\u00fcheren) (?:sitzung|session|gespr\u00e4ch))\b",
    r"\bwo (?:wir|du) (?:\w+ )?(?:aufgeh\u00f6rt|stehen ?geblieben|waren)\b|\bwo waren wir\b",
    r"\bgestern\b[^.\n]{0,40}\b(?:wir|du)\b|\b(?:wir|du)\b[^.\n]{0,40}\bgestern\b[^.\n]{0,40}\b(?:gemacht|gesagt|gezeigt|besprochen|gefunden|vorgeschlagen)\b",
    # French
    r"\b(?:la|de la) derni\u00e8re fois\b|\b(?:session|conversation) pr\u00e9c\u00e9dente\b|\b(?:on a|nous avons|tu as|tu m'as)\b[^.\n]{0,40}\bhier\b|\bl\u00e0 o\u00f9 (?:on|nous) (?:s'|nous )?(?:en )?(?:\u00e9tait|\u00e9tions|avait|avions|est|sommes)\b",
    # Spanish, Portuguese, Italian
    r"\b(?:dijiste|hicimos|hablamos|mostraste|propusiste|encontraste)\b[^.\n]{0,30}\bayer\b|\bayer\b[^.\n]{0,30}\b(?:dijiste|hicimos|hablamos|mostraste)\b|\bla \u00faltima vez\b|\ben qu\u00e9 quedamos\b|\bd[o\u00f3]nde lo dejamos\b|\bsesi\u00f3n (?:anterior|pasada)\b",
    r"\bda \u00faltima vez\b|\bonde (?:n\u00f3s )?paramos\b|\bsess\u00e3o (?:anterior|passada)\b",
    r"\bl'ultima volta\b|\bdove eravamo\b|\bsessione (?:precedente|scorsa)\b",
    # Chinese, Japanese, Russian
    r"\u4e0a(?:\u4e00)?\u6b21(?:\u6211\u4eec|\u4f60|\u505a|\u8bf4|\u804a|\u7684(?:\u4f1a\u8bdd|\u5bf9\u8bdd))|\u6628\u5929(?:\u4f60|\u6211\u4eec)|\u4e0a\u56de|\u4e4b\u524d\u7684(?:\u4f1a\u8bdd|\u5bf9\u8bdd)",
    r"\u524d\u56de\u306e(?:\u30bb\u30c3\u30b7\u30e7\u30f3|\u4f1a\u8a71|\u7d9a\u304d)|\u6628\u65e5\u306e\u7d9a\u304d|\u524d\u56de.{0,8}(?:\u3057\u307e\u3057\u305f|\u3084\u3063\u305f|\u3057\u305f)",
    r"\u0432 \u043f\u0440\u043e\u0448\u043b\u044b\u0439 \u0440\u0430\u0437|\u043d\u0430 \u0447[\u0435\u0451]\u043c \u043c\u044b \u043e\u0441\u0442\u0430\u043d\u043e\u0432\u0438\u043b\u0438\u0441\u044c|\u043f\u0440\u043e\u0448\u043b\u043e\u0439 \u0441\u0435\u0441\u0441\u0438\u0438",
)
"""What asks for an earlier session."""

GOES_BACK = (
    r"\b(?:why|what|which|how)\b[^.?\n]{0,50}\b(?:did|do|have|had) (?:we|our team|the team)\b[^.?\n]{0,40}\b(?:decid|agree|choose|chose|settle|drop|pick|reject|abandon|stop|avoid|switch)",
    r"\b(?:as|like|the way) (?:we (?:had |have |'d )?(?:decided|agreed|discussed|settled|planned)|(?:it was |was )?(?:decided|agreed))\b",
    r"\bwho decided\b|\b(?:the|still) agreed\b|\b(?:repeat|same) (?:the |that )?mistake\b",
    r"\b(?:has|have) (?:this|that|it|we|anybody|anyone) (?:ever )?(?:been )?(?:tried|done|considered|attempted)\b[^.?\n]{0,40}\bbefore\b",
    r"\b(?:our|the project's|the team's) (?:\w+ ){0,2}(?:conventions?|rules?|standards?|agreements?|guidelines?|policy)\b",
    r"\b(?:was|is) there (?:a|any) reason\b|\b(?:was|is) there any (?:history|story) (?:to|behind)\b",
    r"\bsame (?:\w+ )?(?:error|bug|crash|deadlock|problem|issue|failure|leak)\b[^.?\n]{0,40}\b(?:as|again)\b",
    r"\b(?:crash|fail|break|hang|leak)\w*\b[^.?\n]{0,40}\bagain\b|\bis back\b",
    r"\bremind me (?:what|how|why|of|which)\b|\bworked around (?:it|this|that)\b|\b(?:had|met|seen|solved|fixed) (?:it|this|that) (?:once |already |once already )?before\b",
    r"\b(?:from|like|as) (?:the other|last|all the other) times?\b",
    r"\bwie (?:wir (?:es )?)?(?:\w+ )?(?:vereinbart|besprochen|beschlossen|abgemacht)\b|\bwarum haben wir\b|\b(?:haben wir uns|wir haben uns) (?:\w+ ){0,4}(?:entschieden|geeinigt)\b|\bunsere[rmns]? (?:\w*(?:regeln?|konvention(?:en)?|vorgaben?))\b",
    r"\bpourquoi (?:avons-nous|a-t-on|on a)\b|\bcomme (?:convenu|d\u00e9cid\u00e9|pr\u00e9vu)\b|\bon avait (?:une r\u00e8gle|d\u00e9cid\u00e9|convenu|dit)\b",
    r"\bpor qu\u00e9 (?:descartamos|decidimos|elegimos|dejamos|abandonamos)\b|\bcomo (?:acordamos|decidimos|quedamos)\b",
    r"\u4e3a\u4ec0\u4e48(?:\u6211\u4eec|\u5f53\u65f6|\u5f53\u521d)|\u6211\u4eec(?:\u5f53\u65f6|\u4e4b\u524d)?(?:\u51b3\u5b9a|\u7ea6\u5b9a)|\u6309(?:\u7167)?(?:\u4e4b\u524d|\u7ea6\u5b9a|\u6211\u4eec\u7684)",
    r"(?:\u306a\u305c|\u3069\u3046\u3057\u3066).{0,20}(?:\u3084\u3081\u305f|\u6c7a\u3081\u305f|\u9078\u3093\u3060)|\u6c7a\u3081\u305f\u901a\u308a",
)
"""What goes back to a decision, an agreement or a problem that was met before."""

TURNS = (
    r"\bsomething else\b|(?:^|[.!;,:]\s*)(?:now |and |ok,? )?(?:a |an |the )?(?:another|different|new|next|other) (?:thing|task|topic|matter|subject|ticket|issue)\b\s*(?:[:,.]|is\b|please\b)",
    r"(?:^|[.!]\s+)(?:next|now)\s*:\s|\bnext up\b|\b(?:let's|let us) (?:turn|move|switch|go) (?:on )?to\b|\bmoving on\b|\bunrelated\b|\bbefore i forget\b|\bi want to talk about\b",
    r"\bthat(?:'s| is) (?:it|all) (?:for|with)\b|\b(?:we|i)(?:'re|'m| are| am) done with\b|\bswitch(?:ing)? gears\b|\bon (?:another|a different) note\b|\bseparate(?:ly)?[:,]|\ba separate (?:issue|topic|matter|thing)\b",
    r"\b(?:anderes thema|etwas anderes|was anderes|neue aufgabe|n\u00e4chste aufgabe|als n\u00e4chstes)\b",
    r"\b(?:autre (?:chose|sujet)|nouveau sujet|passons \u00e0)\b",
    r"\b(?:otra cosa|otro tema|cambiando de tema|pasemos a|siguiente tarea)\b",
    r"\u6362\u4e2a\u8bdd\u9898|\u53e6\u4e00\u4e2a\u4efb\u52a1|\u4e0b\u4e00\u4e2a\u4efb\u52a1|^(?:\u6b21\u306f|\u6b21\u306b)|\u5225\u306e(?:\u8a71|\u4ef6)",
)
"""What turns to another task."""


@cache
def asks_about_a_session() -> re.Pattern[str]:
    """Return the pattern of a prompt that asks for an earlier session."""
    return _any(LOOKUP)


@cache
def goes_back() -> re.Pattern[str]:
    """Return the pattern of a prompt that goes back to what was decided or met before."""
    return _any(GOES_BACK)


@cache
def turns() -> re.Pattern[str]:
    """Return the pattern of a prompt that turns to another task."""
    return _any(TURNS)


def _any(patterns: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{one})" for one in patterns), re.IGNORECASE | re.MULTILINE)
