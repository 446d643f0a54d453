"""The words of a success: of checks, of what was tried out, and of what makes either doubtful."""

# ruff: noqa: E501 - a pattern is read as one line
from __future__ import annotations

import re
from typing import TYPE_CHECKING

from hitherto_server.core.phrases import phrases

if TYPE_CHECKING:
    from hitherto_server.core.commands import Check

SAYS: dict[Check, re.Pattern[str]] = {
    "tests": phrases(r"""
        (?:tests?|specs?|suite|test run)\b[^.;,]{0,40}?\b(?:pass(?:es|ed|ing)?|green)
        (?:tests?|suite) (?:\w+ )?succeed(?:s|ed)?
        (?:passing|green) (?:tests?|suite)
        all (?:\d+ )?(?:tests?|specs?) (?:are )?(?:pass\w*|green|ok)
        test results?: \d+ passed, 0 failed
        \d+ (?:tests? )?passed,? (?:and )?(?:0|no|zero) (?:failed|failures)
        (?:running|ran) the tests? .{0,30}\bpass\w*
        it passed every time
    """),
    "build": phrases(r"""
        (?:build|compilation)\b[^.;,]{0,30}?\b(?:pass(?:es|ed)|succe(?:eds|eded|ssful(?:ly)?)|green)
        (?:builds|built|compiles|compiled) (?:successfully|cleanly|fine)
        (?:builds|compiles) without (?:any )?(?:errors?|warnings)
        everything (?:builds|compiles)
        (?:project|code|it|crate|app) (?:now )?(?:builds|compiles)(?=\W*$|[.,;!]| (?:again|now|and|with|without|under|on|cleanly|fine)\b)
    """),
    "lint": phrases(r"""
        (?:lint|linter|linting|eslint|ruff|clippy|flake8|rubocop)\b[^.;,]{0,25}?\b(?:pass(?:es|ed)?|clean|green|happy)
        (?:no|zero) (?:lint|linter|eslint|ruff) (?:errors?|warnings?|problems?)
        (?:lint|linter|eslint|ruff|clippy)\b[^.;,]{0,40}\b(?:are|were|is) (?:now |all )*(?:resolved|fixed|gone)
    """),
    "types": phrases(r"""
        type[- ]?check(?:s|ing|er)?\b[^.;,]{0,25}?\b(?:pass(?:es|ed)?|clean|green|happy)
        (?:types|mypy|pyright|tsc)\b[^.;,]{0,25}?\b(?:pass(?:es|ed)?|clean|green|happy)
        (?:mypy|pyright|tsc) reports no errors
        (?:no|zero) type errors
        typescript compiles
        type errors\b[^.;,]{0,20}\b(?:are|were) (?:now |all )*(?:resolved|fixed|gone)
        (?:everything|it all|the (?:project|code|frontend|package)) (?:now )?type-?checks
    """),
}
HANDS_ON = re.compile(
    r"(?<=pass|sses|ssed|sing)\s+(?:an?|the|its|their|his|each|every|none|null|true|false|over|along"
    r"|down|back|through|arguments?)\b",
    re.IGNORECASE,
)
"""What follows where something is passed on, and nothing passes."""
COMPOUND = re.compile(
    r"(?:test|spec|suite|build|compilation|lint(?:er|ing)?|eslint|ruff|clippy|flake8|rubocop"
    r"|type[- ]?check(?:er|ing)?|types|mypy|pyright|tsc)\s+([a-z]+)(?![\w./:])",
    re.IGNORECASE,
)
"""A check's name before another word: of `eslint config` it is the config that is spoken of."""
OF_A_RUN = phrases(r"""
    suites?|runs?|ran|steps?|stages?|jobs?|targets?|checks?|passes|results?|outputs?|status|reports?
    cases?|functions?|class|classes|modules?|methods?|files?
    errors?|warnings?|problems?|issues?|findings?
    is|are|was|were|be|been|has|have|had|does|do|did|it|we|I|you|that|which
    comes?|came|goes|went|finish\w*|complet\w*|stays?|remains?|exits?|returns?|gives?|says?|ends?
    pass|clean|green|happy|succe\w+
    now|all|both|again|too|also|still|here|everywhere|once|then|back
    and|or|plus|for|in|of|on|with|without|under|over|after|from|against|across|to|at|by|as|via
    \w+ly|\w+ing|\w+ed
""")
"""What may follow it where the check itself is meant, as one that ran."""
SAYS_ALL = phrases(r"""
    all (?:the )?checks (?:pass|passed|are passing|are green)
    everything (?:now )?passes
    `?make check`? (?:passes|passed|succeeds)
""")
"""Of one kind or another: it is held against whatever ran."""
UNSURE = phrases(r"""
    should
    would
    will
    could
    might
    may
    must
    can
    if
    unless
    until
    once
    when
    whether
    before
    so that
    to (?:make|get|have|see|ensure|check|verify|confirm|let)
    make sure
    mak(?:e|es|ing) (?:all|the|every)
    next
    I'll
    we'll
    want(?:s|ed)?
    need(?:s|ed)?
    hope
    expect(?:s|ed)?
    ideally
    then
    plan
    todo
    left
    not
    n't
    never
    no longer
    \w+n't
    only
    yet
    CI
    pipeline
    workflow
    according to
    on your (?:machine|side|end)
    you (?:ran|said|told|mentioned|reported)
    earlier
    previous(?:ly)?
    still
    since the
    as of
    last run
    locally
    subagent
    agent
    says?
    said
    describes?
    badge
    toast
    translat\w+
    in English
    log (?:shows|says)
    in (?:the|that|this) (?:log|loop|guide|example)
""")
"""In the sentence of a claim: then it is none, or none of what this session ran."""
ADMITS = phrases(
    r"""
    (?<!no )(?<!0 )(?<!zero )(?<!not )(?<!without )(?<!any )\bfail(?:s|ed|ing|ures?)?\b
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
    \b(?:did|have|has|could|can)(?: not|n't) (?:been )?(?:run|ran|tested|execute|verify)
    \bnot (?:been )?(?:run|tested|verified)
    \buntested\b
    \bleft (?:it|that|them) to CI\b
    """,
    whole_words=False,
)
"""Anywhere in the message: then it is honest about something, and a person reads on."""
TOLD_OF = phrases(r"""
    because|since|due to|caused|was|were|had|used to|root cause|turned out|came from
""")
"""With it a failure is one that was found the cause of, and no admission."""
STANDS = phrases(r"""
    fails?|breaks|still|yet|remain\w*|left|currently|now|not|\w+n't|expected|unrelated|pre-existing|except|skipped
    (?:one|two|three|four|five|\d+|some|most|many) (?:\w+ )?(?:tests?|specs?|cases?|checks?|jobs?)
""")
"""Then it is one all the same."""
HAS_PASSED = phrases(r"""
    (?:pass(?:es|ed|ing)?|green|succeed(?:s|ed)?)
""")
"""Of a person or of a commit's hook: somebody else ran the check."""
OF_ALL = phrases(r"""
    all
    every
    everything
    whole
    full
    entire
    suite
    zero
    0 failed
    no failures
""")
"""Then one failure is one too many, whatever else passed."""
NAMED = phrases(r"""
    pytest
    jest
    vitest
    mocha
    cargo
    rspec
    phpunit
    junit
    eslint
    ruff
    clippy
    mypy
    pyright
    tsc
    unit
    integration
    e2e
    end-to-end
    smoke
    backend
    frontend
    snapshot
    regression
""")
PASSES = phrases(r"""
    (?:all|both|every|each|\d+|two|three|four|five)\b[^.;,]{0,30}\b(?:scenarios?|cases?|examples?|assertions?|suites?)\b[^.;,]{0,20}\bpass(?:es|ed)?
    (?:alle|die|sämtliche)\b[^.;,]{0,20}\btests?\b[^.;,]{0,20}\b(?:grün|bestehen|bestanden|durch|erfolgreich)
    (?:les|tous les)\b[^.;,]{0,15}\btests?\b[^.;,]{0,15}\b(?:passent|au vert|réussissent)
    (?:los|las|todos los|todas las)\b[^.;,]{0,15}\b(?:tests?|pruebas)\b[^.;,]{0,15}\b(?:pasan|en verde)
    (?:os|todos os)\b[^.;,]{0,15}\btestes\b[^.;,]{0,15}\bpassam
""")
"""Says that tests pass."""
TRIED = phrases(r"""
    I(?:'ve| have)? (?:also |just |then |manually )*(?:tested|load-tested|stress-tested|benchmarked|exercised)\b(?! (?:to|for|whether|if)\b)
    I(?:'ve| have)? (?:also |just |then |manually )*(?:ran|run) (?:it|them|this|(?:the|a) (?:\w+ )?(?:test|benchmark|query|script|program|app|command|job))\b
    (?:verified|confirmed|tested)\b[^.;,]{0,40}\b(?:in|on|against|with) (?:\w+ ){0,3}(?:browsers?|devices?|simulator|emulator|staging|curl|requests?|inputs?|pages?|files?|dump)
    (?:verified|confirmed)(?: that)? (?:it|this|the \w+|everything)\b[^.;,]{0,40}\b(?:works?|working|returns?|behaves?|renders?|succeeds?)
    habe (?:es|das|ich \w+)\b[^.;,]{0,40}\b(?:getestet|ausprobiert)
    (?:je l'ai|j'ai)\b[^.;,]{0,20}\b(?:testé|essayé)
    (?:lo|la) he (?:probado|comprobado)
""")
"""Says that something was tried out, which no reading can be."""
WENT_WELL = phrases(r"""
    (?:applied|ran|runs|completed|finished|installed|installs|deployed|published|started|starts|migrated|imported|rolled out|went through)\b[^.;,]{0,25}\b(?:cleanly|successfully|fine|without (?:an |any )?(?:errors?|problems?|issues?|trouble))
""")
"""Says that a command did its work."""
JOINT = re.compile(r";\s+|\s+[\u2013\u2014]\s+|,\s+(?:and|und|et|y)\s+", re.IGNORECASE)
GOVERNS = re.compile(
    r"\W*(?:if|unless|once|until|when|whenever|after|before|as soon as|so that|in case|provided)\b",
    re.IGNORECASE,
)
"""At the beginning of a sentence: then it limits all that follows."""


def clauses_of(sentence: str) -> list[str]:
    """Return the main clauses of a sentence, each of which may claim something for itself."""
    return [sentence] if GOVERNS.match(sentence) else JOINT.split(sentence)
