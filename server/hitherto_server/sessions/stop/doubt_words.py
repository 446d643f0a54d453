"""The words that make a claim of success none: hedges, admissions, and reports of others."""

# ruff: noqa: E501 - a pattern is read as one line
from __future__ import annotations

from hitherto_server.core.phrases import phrases

UNSURE = phrases(r"""
    (?<!as it )(?<!as they )should|would|will|could|might|may|must|can
    if|unless|until|once|when|whether|before|so that
    to (?:make|get|have|see|ensure|check|verify|confirm|let)
    make sure
    mak(?:e|es|ing) (?:all|the|every)
    next|I'll|we'll
    want(?:s|ed)?|need(?:s|ed)?|hope|expect(?:s|ed)?|ideally|plan|todo|left
    (?:has|have|is|are) to
    not|n't|never|\w+n't
    no longer (?:pass\w*|green)
    only|yet
    according to
    on your (?:machine|side|end)
    you (?:ran|said|told|mentioned|reported)
    earlier|previous(?:ly)?|since the|as of|last run
    subagent|agent
    says?|said|describes?|claims?
    badge|toast|icon|colou?r
    translat\w+|in English
    log (?:shows|says)
    in (?:the|that|this) (?:log|loop|guide|example)
    sollten?|würden?|wird|werden|könnten?|müss\w+|wenn|falls|ob|nicht|noch|erst
    devrai\w*|pourrai\w*|sera|seront|quand|pas encore|il faut|doit|ne (?:\w+ ){1,3}pas
    deber[íi]an?|podr[íi]an?|será|cuando|falta|hay que|debe|no (?:se|he|hay|está|ha|pude|lo|la)
""")
"""In the sentence of a claim: then it is none, or none of what this session ran."""
ELSEWHERE = phrases(r"""
    (?:on|in|by|left to|leave (?:it|that) to|for) (?:the )?(?:CI|pipelines?|workflows?)
    CI(?! (?:is|passes|passed|went))
    pipeline|workflow
""")
"""What ran there is not what this session ran."""
ADMITS = phrases(
    r"""
    (?<!no )(?<!0 )(?<!zero )(?<!not )(?<!without )(?<!any )(?<!no longer )(?<!a )(?<!each )(?<!every )(?<!on )(?<!of )(?<!after )(?<!per )(?<!for )\bfail(?:s|ed|ing|ures?)?\b(?! (?:log-?ins?|requests?|refresh\w*|uploads?|payments?|attempts?|jobs?|messages?|retries|calls?|over|fast|open|closed|safe|soft)\b)
    \bfail\w* (?:\w+ )?(?:tests?|specs?|suites?|checks?|builds?)\b
    \berrors? (?:remain|left)
    \bbroken\b
    \bbreaks\b
    \bred\b
    \bflaky\b
    \bskipped\b
    \bexcept\b
    \bapart from\b
    \bother than\b
    \bunrelated\b
    \bpre-existing\b
    \b(?:did|have|has|could|can)(?: not|n't) (?:been )?(?:run|ran|tested|execute|verify|try|tried)
    \bnot (?:been )?(?:run|tested|verified|tried)
    \buntested\b
    \bunverified\b
    \bleft (?:it|that|them) to CI\b
    \bnothing (?:was )?(?:run|ran|tested)\b
    \bnicht (?:getestet|ausgeführt|gelaufen|geprüft)
    \b(?:pas|non) (?:testé|lancé|exécuté|vérifié)
    \bno (?:he|lo he|la he) (?:probado|ejecutado|comprobado)|\bsin probar\b
    """,
    whole_words=False,
)
"""Anywhere in the message: then it is honest about something, and a person reads on."""
TOLD_OF = phrases(r"""
    because|since|due to|caused|was|were|had|used to|root cause|turned out|came from
    so|therefore|which is why|whenever|cause|instead of|rather than
    weil|da|wurde|war|hatte|parce que|car|était|avait|porque|ya que|era|había
""")
"""With it a failure is one that was found the cause of, and no admission."""
STANDS = phrases(r"""
    still|yet|remain\w*|left|currently|now|not|\w+n't|expected|unrelated|pre-existing|except|skipped
    (?:one|two|three|four|five|\d+|some|most|many) (?:\w+ )?(?:tests?|specs?|cases?|checks?|jobs?)
    (?:tests?|specs?|suite|build|lint|check|job)s? (?:\w+ )?(?:fails?|breaks)
    ^(?:it|this|that|one|they) fails?
    (?:noch|immer noch|encore|toujours|todavía|aún|sigue)
""")
"""Then it is one all the same."""
HAS_PASSED = phrases(r"""
    (?:pass(?:es|ed|ing)?|green|succeed(?:s|ed)?)
""")
"""Of a person or of a commit's hook: somebody else ran the check."""
WISHED = phrases(r"""
    make sure|ensure|until|should|must|so that|if|whether|when|check|verify|see|get|need|want|keep
    can|could|please|let|fix|run|make|bis|damit|soll\w*|ob|wenn
""")
"""Then the person told of no run, but wants one."""
