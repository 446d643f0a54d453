"""The wordings by which a prompt is told where no judgment comes; compiled when first used."""

# ruff: noqa: E501 - a pattern is read as one line
from __future__ import annotations

import re
from functools import cache

from hitherto_server.core.phrases import any_of

LINES = re.IGNORECASE | re.MULTILINE

MOST_CHARS = 1500
"""A longer prompt is a pasted text, whose words are nobody's wishes."""

FORMERLY = (
    r"(?:last (?:time|week|night|month|monday|tuesday|wednesday|thursday|friday|saturday|sunday)"
    r"|yesterday|(?:from|on|since) (?:monday|tuesday|wednesday|thursday|friday|saturday|sunday)|the other day|this morning|earlier today|(?:last|previous|earlier|prior) (?:session|conversation|chat))"
)
ONCE = (
    rf"(?:{FORMERLY}|(?:\d+|a few|a couple of|two|three) (?:hours|days|weeks|months) ago|earlier this week|(?:last|this) (?:afternoon|evening|weekend)"
    r"|(?:in|from) (?:another|the other|a former) (?:window|terminal|session|chat|tab)|before (?:it|you|the \w+|my \w+) (?:crashed|died|froze|restarted|rebooted|(?:was|were|got) (?:closed|cut off|interrupted)))"
)
"""A time at which there was another session."""
SETTLED = (
    r"(?:drop(?:ped)?|choose|chose|decid\w+|settled?|agreed?|pick(?:ed)?|ke(?:ep|pt)|le(?:ave|ft)|end(?:ed)? up|solved?|measured?|tr(?:y|ied)|sa(?:y|id)|concluded?|f(?:ind|ound)|reject(?:ed)?|revert(?:ed)?|ruled? out"
    r"|g(?:o|one) with|went with|abandon\w*|discard\w*|stop(?:ped)?|switch\w*|moved?|renamed?|promised?|c[oa]me up with|tell|told|want(?:ed)?|discuss\w*|talk\w*|compared?|benchmark\w*|figured? out|g[eo]t rid of|work(?:ed)? (?:around|out))"
)
"""What is done once, and asked about later: in the past, or behind `did we`."""
MONTH = r"(?:january|february|march|april|may|june|july|august|september|october|november|december|christmas|easter|spring|summer|autumn|winter)"
PAST = r"(?:(?!need)\w{3,}ed|took|chose|found|said|made|did|had|thought|went|wrote|kept|left|built|ran|saw|came|gave|told)"
LOOKUP = (
    # English
    rf"^\W*(?:please )?(?:continue|resume|carry on|go on|finish|repeat|redo)\b[^.?\n]{{0,90}}\b{ONCE}\b",
    rf"^\W*(?:please )?(?:recap|summari[sz]e|list|show|find|remind me|look up|pull up|bring up|tell me|(?:can|could) you \w+)\b[^.?\n]{{0,60}}\b(?:we|you|my|our)\b[^.?\n]{{0,60}}\b{ONCE}\b",
    rf"\b(?:what|where|which|how|why|did|had|have|has)\b[^.?\n]{{0,50}}\b(?:we|you)\b(?! (?:have|get|got|see|receive|lose|ship|deploy)\b)[^.?\n]{{0,90}}\b(?:{ONCE}|so far (?:this|today))\b",
    rf"\b{ONCE}\b[^.?\n]{{0,40}}\b(?:we|you)\b[^.?\n]{{0,80}}(?:[?,]|$)",
    rf"\byou (?:had |have |already )*(?!can\b|get\b|see\b|need\b)\w+\b[^.?\n]{{0,60}}\b{ONCE}\b",
    r"\b(?:did|have|had) (?:we|you) (?:ever|already)\b[^.?\n]{0,20}\b(?:finish|look|talk|discuss|tr(?:y|ied)|investigat|work|go through|get (?:to|around))",
    r"\bremind me (?:what|how|which|where)\b[^.?\n]{0,20}\b(?:we|you) (?:had |have |already )*(?:tried|did|done|changed|found|said|wrote|proposed|left|fixed|solved)\b",
    r"\b(?:my|our) (?:last|previous|earlier) (?:conversation|chat)s?\b|\bwhen (?:we|you) (?:last )?(?:talked|spoke|discussed)\b",
    r"\b(?:there was|there is|in|from|had) (?:a|an|one|the) (?:session|conversation|chat) (?:in which|where|when|about)\b[^.?\n]{0,20}\b(?:we|you|i)\b",
    r"\b(?:our|in (?:the|our|an?|my)|from (?:the|our)) (?:last|previous|earlier|prior|former) (?:session|conversation|chat)s?\b(?!['\u2019]s|\s+(?:list|table|page|view|store))",
    r"\bour (?:last|previous|earlier) (?:talk|discussion)\b",
    rf"\b(?:what|where|which|how|did|had)\b[^.?\n]{{0,50}}\bi\b[^.?\n]{{0,70}}\b{FORMERLY}\b",
    rf"\b{FORMERLY}\b[^.?\n]{{0,30}}\b(?:we|you)\b[^.?\n]{{0,60}}\?",
    rf"\byou (?:told|gave|showed|suggested|proposed|explained|recommended|found|mentioned|wrote)\b[^.?\n]{{0,60}}\b{FORMERLY}\b",
    r"\bwhere (?:we|you|i) (?:had )?(?:left off|stopped|broke off|ended up)\b|\bwhere (?:were|was) (?:we|you|i)\b",
    r"\bpick(?:ing)? up (?:the thread|where|from where)\b",
    r"\bwhat (?:were|was) (?:you|we) (?:in the middle of|working on|doing|up to)\b",
    r"\bhow far (?:had|have|did) (?:you|we) (?:come|got|gotten|get)\b",
    r"\bdid (?:i|we) (?:already )?(?:ask|tell|talk|discuss|finish)\b[^.?\n]{0,60}\b(?:before|earlier|already)\b",
    r"\b(?:find|search|show|look up)\b[^.?\n]{0,20}\b(?:chat|conversation|session) (?:in which|where|when|that|about)\b[^.?\n]{0,20}\b(?:we|you|i)\b",
    r"\bwhich (?:chat|conversation|session) (?:was|were)\b",
    rf"\b(?:what|which|why|how|where|when|who)\b[^.?\n]{{0,50}}\b(?:did|had|have) (?:we|i)\b[^.?\n]{{0,20}}\b{SETTLED}\b|\bwe (?:had |have |both |once |already )?{PAST}\b[^?\n]{{0,80}}\?",
    r"\b(?:what|which|why|how|where|when|who)\b[^.?\n]{0,60}\bdid (?:we|i)\b(?! (?:get|have|receive|see|lose|miss|forget|ship|deploy)\b)",
    r"\b(?:i|we) (?:still |vaguely |dimly )?(?:remember|recall|think|believe),? (?:that )?(?:we|you)\b|\b(?:can't|cannot|don't) (?:recall|remember) (?:what|which|why|how|where|whether)\b",
    r"\b(?:the|what) reason (?:that |why )?we\b|\bwhat was (?:the reason|that|it)\s*(?:\?|$)",
    r"\byou (?:had|gave|made|came up with) (?:a|an|some|the) (?:theory|idea|list|plan|explanation|suggestion|number|table)\b|\bwhat (?:did|have|had) you (?:already )?(?:tr(?:y|ied)|rul)",
    rf"\b(?:did|had|have) we (?:ever|actually|already|finally|in the end)\b[^.?\n]{{0,20}}\b{SETTLED}\b|\bor did we (?:already )?{SETTLED}\b",
    r"\b(?:we|i|you) (?:once |already |all |both |then |finally )?(?:had (?:a|some|our) (?:reason|discussion|argument|agreement|rule)|settled on|fought over|suspected|ruled out|decided (?:on|against|for)|told me|agreed on)\b[^?\n]{0,80}\?",
    r"\bwe had (?:a|some|our) (?:reason|discussion|argument|agreement|rule)\b[^?\n]{0,80}\bwhat (?:was|were)\b|\b(?:remind me|tell me) (?:what|how|which|where|why)\b[^.?\n]{0,40}\b(?:we|i) (?:settled|agreed|decided|chose|picked|kept|dropped)\b",
    r"\b(?:what|which) (?:was|were) (?:the|our) (?:outcome|result|verdict|conclusion|decision|upshot|final \w+)\b|\bwhat came out(?: of (?:it|that))?\s*\?|\bwho said (?:that )?we\b|\b(?:was|is) there (?:still |ever )?an agreement\b",
    r"\b(?:weren't|didn't|hadn't|haven't) we\b[^.?\n]{0,80}\?|\byou (?:once told me|told me (?:once|before|that already))\b",
    # German
    r"\b(?:wie|was|wo|woran|warum|wann|welche\w*)\b[^.?\n]{0,40}\b(?:hatten|haben) wir\b|\bhatten wir (?:\w+ ){0,2}(?:schon|mal|damals)\b",
    r"\b(?:letztes mal|letzten mal|beim letzten mal|neulich|(?:letzten|vorigen|fr\u00fcheren) (?:sitzung|session|gespr\u00e4ch))\b[^.\n]{0,60}\b(?:wir|du|ich)\b|\b(?:wir|du|ich)\b[^.\n]{0,30}\b(?:letztes mal|beim letzten mal|neulich|(?:letzten|vorigen|fr\u00fcheren) (?:sitzung|session|gespr\u00e4ch))\b",
    r"\bwo (?:wir|du) (?:\w+ )?(?:aufgeh\u00f6rt|stehen ?geblieben|waren)\b|\bwo waren wir\b",
    r"\b(?:was|wie|wo\w*|welche\w*|warum)\b[^.\n]{0,40}\b(?:wir|du)\b[^.\n]{0,30}\b(?:gestern|neulich|vorgestern|letzte woche|heute (?:morgen|fr\u00fch))\b",
    r"\bgestern\b[^.\n]{0,40}\b(?:wir|du)\b|\b(?:wir|du)\b[^.\n]{0,40}\bgestern\b[^.\n]{0,40}\b(?:gemacht|gesagt|gezeigt|besprochen|gefunden|vorgeschlagen)\b",
    # French
    r"\b(?:pourquoi|qu'est-ce qu|comment|quel\w*)\b[^.?\n]{0,30}\b(?:on avait|avions-nous|nous avions|a-t-on|avait-on)\b",
    r"\b(?:la|de la) derni\u00e8re fois\b|\b(?:session|conversation) pr\u00e9c\u00e9dente\b|\b(?:on a(?:vait)?|nous (?:avons|avions)|tu (?:m')?(?:as|avais))\b[^.\n]{0,40}\bhier\b|\bl\u00e0 o\u00f9 (?:on|nous) (?:s'|nous )?(?:en )?(?:\u00e9tait|\u00e9tions|avait|avions|est|sommes)\b",
    # Spanish, Portuguese, Italian
    r"\b(?:qu[e\u00e9]|c[o\u00f3]mo|cu[a\u00e1]l)\b[^.?\n]{0,20}\b(?:hab[i\u00ed]amos|decidimos|quedamos|dijimos|elegimos|acordamos)\b",
    r"\b(?:dijiste|hicimos|hablamos|mostraste|propusiste|encontraste)\b[^.\n]{0,30}\bayer\b|\bayer\b[^.\n]{0,30}\b(?:dijiste|hicimos|hablamos|mostraste)\b|\bla \u00faltima vez\b|\ben qu\u00e9 quedamos\b|\bd[o\u00f3]nde lo dejamos\b|\bsesi\u00f3n (?:anterior|pasada)\b",
    r"\bda \u00faltima vez\b|\bonde (?:n\u00f3s )?paramos\b|\bsess\u00e3o (?:anterior|passada)\b",
    r"\bl'ultima volta\b|\bdove eravamo\b|\bsessione (?:precedente|scorsa)\b",
    # Chinese, Japanese, Russian
    r"\u4e0a(?:\u4e00)?\u6b21(?:\u6211\u4eec|\u4f60|\u505a|\u8bf4|\u804a|\u7684(?:\u4f1a\u8bdd|\u5bf9\u8bdd))|\u6628\u5929(?:\u4f60|\u6211\u4eec)|\u4e0a\u56de|\u4e4b\u524d\u7684(?:\u4f1a\u8bdd|\u5bf9\u8bdd)",
    r"\u524d\u56de\u306e(?:\u30bb\u30c3\u30b7\u30e7\u30f3|\u4f1a\u8a71|\u7d9a\u304d)|\u6628\u65e5\u306e\u7d9a\u304d|\u524d\u56de.{0,8}(?:\u3057\u307e\u3057\u305f|\u3084\u3063\u305f|\u3057\u305f)",
    r"\b(?:\u043c\u044b|\u0442\u044b) \u0432\u0447\u0435\u0440\u0430\b|\b\u0432\u0447\u0435\u0440\u0430 (?:\u043c\u044b|\u0442\u044b)\b",
    r"\u0432 \u043f\u0440\u043e\u0448\u043b\u044b\u0439 \u0440\u0430\u0437|\u043d\u0430 \u0447[\u0435\u0451]\u043c \u043c\u044b \u043e\u0441\u0442\u0430\u043d\u043e\u0432\u0438\u043b\u0438\u0441\u044c|\u043f\u0440\u043e\u0448\u043b\u043e\u0439 \u0441\u0435\u0441\u0441\u0438\u0438",
)
"""What asks for an earlier session."""

GOES_BACK = (
    r"^\W*(?:what|how|which|where|who|why|when)\b[^?\n]*\bagain\s*\?*\s*$|\b(?:was|wie|wer|warum|wo)\b[^.?\n]{0,40}\b(?:nochmal|noch mal|noch gleich|eigentlich)\b|\bd\u00e9j\u00e0\s*\?",
    r"\b(?:our|the) (?:usual|established|existing|agreed|chosen) (?:\w+ )?(?:way|conventions?|scheme|pattern|approach|rules?|setup|format|process|names?|naming)\b",
    r"\b(?:did|do)n't we (?:already |once )?(?:have|use|agree|decide|settle|try|drop|say)\b|\bhow did we (?:solve|fix|get rid|handle|deal|work around|end up)\b",
    r"\b(?:scheme|names?|way|approach|format|rules?|convention|design|layout|limits?|values?) (?:that )?we (?:had )?(?:agreed|decided|settled|chose)\b|\bthe way we (?:always|usually|did|do)\b",
    r"\bis there (?:a|any|some) (?:\w+ )?reason\b|\bwhat(?:'s| is| was) the (?:trick|gotcha|catch|caveat|workaround|story)\b",
    r"\b(?:ruled out|turned down|rejected|settled on|agreed (?:on|to)|decided (?:on|against|to))\b[^.\n]{0,40}\?|\bwho (?:owns|is responsible for|maintains)\b",
    r"\bthere was (?:something|a (?:reason|problem|bug|catch|rule))\b|\bi (?:vaguely |dimly )?(?:recall|remember)\b(?! (?:to|me)\b)",
    r"\b(?:error|bug|problem|issue|failure|leak|flake)\b[^.?\n]{0,12} again\b",
    r"\b(?:why|what|which|how)\b[^.?\n]{0,50}\b(?:did|do|have|had) (?:we|our team|the team)\b[^.?\n]{0,40}\b(?:decid|agree|choose|chose|settle|drop|pick|reject|abandon|stop|avoid|switch)",
    r"\b(?:as|like|the way) (?:we (?:had |have |'d )?(?:decided|agreed|discussed|settled|planned)|(?:it was |was )?(?:decided|agreed))\b",
    r"\bwho decided\b|\b(?:the|still) agreed\b|\b(?:repeat|same) (?:the |that )?mistake\b",
    r"\b(?:has|have) (?:this|that|it|we|anybody|anyone) (?:ever )?(?:been )?(?:tried|done|considered|attempted)\b[^.?\n]{0,40}\bbefore\b",
    r"\b(?:our|the project's|the team's) (?:\w+ ){0,2}(?:conventions?|rules?|standards?|agreements?|guidelines?|policy)\b",
    r"\b(?:was|is) there (?:a|any) reason\b|\b(?:was|is) there any (?:history|story) (?:to|behind)\b",
    r"\bsame (?:\w+ )?(?:error|bug|crash|deadlock|problem|issue|failure|leak)\b[^.?\n]{0,40}\b(?:as|again)\b",
    r"\b(?:crash|fail|break|hang|leak)\w*\b[^.?\n]{0,40}\bagain\b|\bis back\b",
    r"\bremind me (?:what|how|why|of|which)\b|\bworked around (?:it|this|that)\b|\b(?:had|met|seen|solved|fixed) (?:it|this|that) (?:once |already |once already )?before\b",
    r"\b(?:from|like|as) (?:the other|last|all the other) times?\b|\b(?:from|in|with) the (?:last|previous) (?:upgrade|release|migration|run|incident|outage|attempt|round|experiment)\b",
    rf"\b(?:the|that|those|what|ones?) (?:[\w-]+ ){{0,4}}(?:that |which )?(?:we|i) (?:had |have |both |all |then )?(?!go\b|say\b|find\b|want\b|keep\b|leave\b|choose\b|stop\b|tell\b|switch\b){SETTLED}\b|\bwhat we (?:did|said|have|had) (?:for|about|with|on)\b",
    r"\b(?:do )?you (?:still )?remember\b|\byou know (?:which|the steps|what i mean|the drill)\b|\b(?:tu te souviens|te acuerdas|erinnerst du dich|wei(?:\u00df|ss)t du noch)\b",
    r"\b(?:hatten|haben) (?:wir )?doch (?:schon|mal|damals)\b|\bwie (?:damals|letzte\w* \w+|beim letzten mal)\b|\bde la m\u00eame mani\u00e8re qu|\bcomo (?:la otra vez|en (?:enero|febrero|marzo|abril|mayo|junio|julio|agosto|septiembre|octubre|noviembre|diciembre)|entonces)\b",
    rf"\b(?:like|as|same \w+ as) (?:back )?in {MONTH}\b|\b(?:before|around|back in) {MONTH}\b[^.\n]{{0,60}}\b(?:we|you)\b|\b(?:we|you)\b[^.\n]{{0,60}}\b(?:before|around|back in) {MONTH}\b",
    r"\b(?:continue|carry on|go on) with the\b|\bwhat(?:'s| is) left (?:of|from|in)\b",
    r"\bwie (?:wir (?:es )?)?(?:\w+ )?(?:vereinbart|besprochen|beschlossen|abgemacht)\b|\bwarum haben wir\b|\b(?:haben wir uns|wir haben uns) (?:\w+ ){0,4}(?:entschieden|geeinigt)\b|\bunsere[rmns]? (?:\w*(?:regeln?|konvention(?:en)?|vorgaben?))\b",
    r"\bpourquoi (?:avons-nous|a-t-on|on a)\b|\bcomme (?:convenu|d\u00e9cid\u00e9|pr\u00e9vu)\b|\bon avait (?:une r\u00e8gle|d\u00e9cid\u00e9|convenu|dit)\b",
    r"\bpor qu\u00e9 (?:descartamos|decidimos|elegimos|dejamos|abandonamos)\b|\bcomo (?:acordamos|decidimos|quedamos)\b",
    r"\u4e3a\u4ec0\u4e48(?:\u6211\u4eec|\u5f53\u65f6|\u5f53\u521d)|\u6211\u4eec(?:\u5f53\u65f6|\u4e4b\u524d)?(?:\u51b3\u5b9a|\u7ea6\u5b9a)|\u6309(?:\u7167)?(?:\u4e4b\u524d|\u7ea6\u5b9a|\u6211\u4eec\u7684)",
    r"(?:\u306a\u305c|\u3069\u3046\u3057\u3066).{0,20}(?:\u3084\u3081\u305f|\u6c7a\u3081\u305f|\u9078\u3093\u3060)|\u6c7a\u3081\u305f\u901a\u308a",
)
"""What goes back to a decision, an agreement or a problem that was met before."""

SMALL = (
    r"^\W*(?:please |ok,? |now )?(?:which|where (?:is|are|does)|what does|who calls|show|explain|list|print|log|rename|sort|format|split|raise|lower|increase|decrease|mark|align|capitali[sz]e|shorten|reword|comment out)\b",
    r"^\W*(?:please |ok,? |now )?(?:remove|delete|move|replace|change|set|put|use|make|fix|correct|add|write)\b[^.\n]{0,40}\b(?:this|typos?|imports?|docstrings?|comments?|flags?|options?|columns?|icons?|tooltips?|links?|lines?|labels?|buttons?|headings?|titles?|margins?|padding|colou?rs?|spaces?|tabs|unit tests?|a test|log (?:line|message)s?|constants?|variables?|px|font)\b",
)
"""What looks at one thing, or changes one that it names."""
LARGE = (
    r"\b(?:why|find out|investigat\w+|diagnos\w+|refactor\w*|redesign\w*|re-?architect\w*|implement\w*|migrat\w+|upgrad\w+|switch|integrat\w+|support|deploy\w*|releas\w+|rate limit\w*|cach(?:e|ing)|auth\w*|slow|leak\w*|duplicat\w+|race|deadlock\w*|webhooks?|queue|schema|tables?|database|index(?:es)?|endpoint|service|everywhere|all (?:the )?\w+)\b",
)
"""What bears on more than it names."""
TURNS = (
    r"\bsomething else\b|(?:^|[.!;,:]\s*)(?:now |and |ok,? )?(?:a |an |the )?(?:another|different|new|next|other) (?:thing|task|topic|matter|subject|ticket|issue)\b\s*(?:[:,.]|is\b|please\b)",
    r"(?:^|[.!]\s+)(?:next|now)\s*:\s|\bnext up\b|\b(?:let's|let us) (?:turn|move|switch|go) (?:on )?to\b|\bmoving on\b|\bunrelated\b|\bbefore i forget\b|\bi want to talk about\b",
    r"\bthat(?:'s| is) (?:it|all) (?:for|with)\b|\b(?:we|i)(?:'re|'m| are| am) done with\b|\bswitch(?:ing)? gears\b|\bon (?:another|a different) note\b|\bseparate(?:ly)?[:,]|\ba separate (?:issue|topic|matter|thing)\b",
    r"\bwhile (?:we(?:'re| are)|you(?:'re| are)) (?:in|at|there)\b|\byou(?:'re| are) at it\b|^\W*(?:and )?then we(?:'ll)? need\b|^[\w ]{3,40} aside\s*,",
    r"\b(?:anderes thema|etwas anderes|was anderes|neue aufgabe|n\u00e4chste aufgabe|als n\u00e4chstes)\b",
    r"\b(?:autre (?:chose|sujet)|nouveau sujet|passons \u00e0)\b",
    r"\b(?:otra cosa|otro tema|cambiando de tema|pasemos a|siguiente tarea)\b",
    r"\u6362\u4e2a\u8bdd\u9898|\u53e6\u4e00\u4e2a\u4efb\u52a1|\u4e0b\u4e00\u4e2a\u4efb\u52a1|^(?:\u6b21\u306f|\u6b21\u306b)|\u5225\u306e(?:\u8a71|\u4ef6)",
)
"""What turns to another task."""


@cache
def asks_about_a_session() -> re.Pattern[str]:
    """Return the pattern of a prompt that asks for an earlier session."""
    return any_of(*LOOKUP, flags=LINES)


@cache
def goes_back() -> re.Pattern[str]:
    """Return the pattern of a prompt that goes back to what was decided or met before."""
    return any_of(*GOES_BACK, flags=LINES)


@cache
def small() -> re.Pattern[str]:
    """Return the pattern of a prompt that looks at one thing, or changes one."""
    return any_of(*SMALL, flags=LINES)


@cache
def large() -> re.Pattern[str]:
    """Return the pattern of what bears on more than it names."""
    return any_of(*LARGE, flags=LINES)


@cache
def turns() -> re.Pattern[str]:
    """Return the pattern of a prompt that turns to another task."""
    return any_of(*TURNS, flags=LINES)
