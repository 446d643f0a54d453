"""The words of a success: what is said to have passed, to work, to be measured or to be done."""

# ruff: noqa: E501 - a pattern is read as one line
from __future__ import annotations

import re
from typing import TYPE_CHECKING

from hitherto_server.core.phrases import any_of, phrases

if TYPE_CHECKING:
    from hitherto_server.core.commands import Check

SUBJECTS: dict[Check, str] = {
    "tests": (
        r"tests?|specs?|(?:test[- ]?)?suites?|test (?:run|job)s?|testl(?:auf|äufe)|pruebas?|testes|essais"
        r"|scenarios?|test ?cases?|pytest|jest|vitest|mocha|rspec|phpunit|junit|ctest|tox|nextest"
        r"|(?:go|cargo|flutter|dart|npm|pnpm|yarn|make|dotnet|swift|mix|sbt|bazel|mvn|artisan) test\b[^,;]{0,30}"
    ),
    "build": (
        r"builds?|compilation|compiler"
        r"|(?:go|cargo|npm|pnpm|yarn|docker|make|dotnet|swift|gradle|flutter|vite|next) build\b[^,;]{0,30}|xcodebuild"
        r"|kompilierung|compilación|compilação|kompilat"
    ),
    "lint": (
        r"lint|linters?|linting|lint-?lauf|eslint|ruff|clippy|flake8|rubocop|pylint|stylelint|[\w-]+lint|staticcheck|shellcheck"
        r"|biome|prettier|(?:flutter |dart )?analy[sz]er?|phpstan|detekt|go vet|terraform validate|format(?:ting)? check|pre-commit"
    ),
    "types": (r"type[- ]?check(?:s|ing|er)?|types|mypy|pyright|tsc|typescript|vue-tsc|typprüfung"),
}
"""By which names each check goes."""
_ADVERBS = r"(?:(?:all|both|now|again|still|also|completely|entirely|fully|now all|alle|jetzt|wieder|nun|wieder alle|tous|toutes|bien|à nouveau|désormais|todos|todas|de nuevo|ahora|ya|back|everything|once more|cleanly)\s+){0,3}"
_IS = r"(?:is|are|was|were|'s|'re|comes?|came|runs?|ran|finish(?:es|ed)|complet(?:es|ed)|stays?|remains?|went|goes|looks?|ends?|ist|sind|war|waren|läuft|laufen|lief(?:en)?|bleib(?:t|en)|est|sont|était|étaient|reste(?:nt)?|está|están|queda(?:n)?|son|é|são)"
_FLAWLESS = r"(?:no|zero|0|any|keine|sans|aucune?|sin|ning[uú]n(?:a)?|ohne|without(?: any| a single)?) (?:new |more |type |lint |compile |compiler |other )?(?:errors?|failures?|failed|warnings?|issues?|problems?|complaints?|findings?|violations?|regressions?|fehler|warnung(?:en)?|erreurs?|avertissements?|échec|errores|error|advertencias|fallos|erros)"
PASSED = (
    rf"(?:{_ADVERBS}(?:pass(?:es|ed|ing)?|succeed(?:s|ed)?)(?!\w)"
    rf"|{_IS}\s+{_ADVERBS}(?:back (?:to|in the) )?(?:green|clean(?:ly)?|ok|okay|fine|happy|good|successful(?:ly)?|through|passing|without a hitch|grün|sauber|fehlerfrei|erfolgreich|durch|au vert|verte?s?|propres?|en verde|verdes?|limpi[oa]s?|correctamente|satisfied|quiet|silent)(?!\w)"
    rf"|(?:reports?|shows?|finds?|found|gives?|has|have|had|meldet|findet|with|mit|exit(?:s|ed)? with|{_IS})\s+{_ADVERBS}{_FLAWLESS}"
    r"|(?:sind |alle |wieder )*(?:bestanden|bestehen|durchgelaufen)(?!\w)|(?:passent|passe|passés?|réussissent|réussi)(?!\w)|(?:pasan?|pasaron|pasando|passam|passaram)(?!\w)"
    r"|exit(?:s|ed)? (?:with )?(?:code )?0(?!\d)|\u2705|\u2714)"
)
"""What is said of a check that passed."""
SAYS: dict[Check, re.Pattern[str]] = {
    kind: any_of(
        rf"(?<![\w/.-])(?:{subject})(?![\w/]|-\w)[^;:]{{0,60}}?(?<![\w-]){PASSED}",
        rf"(?<![\w/.-])(?:{subject})\s*[:=,(]\s*(?:all\s+)?(?:\d+[ /\d]*\s*)?(?:{PASSED}|{_FLAWLESS}|clean|green|ok)(?!\w)",
        rf"(?<!\w)(?:clean|green|passing|successful) (?:\w+ )?(?:{subject})(?!\w)(?! (?:config|badge|script|icon))",
    )
    for kind, subject in SUBJECTS.items()
}
COUNTED = phrases(r"""
    \d[\d,.]* (?:\w+ ){0,2}?(?:tests? |specs? |checks? |examples? )?(?:pass(?:ed|es|ing)?|green|grün|bestanden|passent|pasan)(?!\w)
    \d[\d,.]* (?:tests?|specs?|examples?),? (?:and )?(?:0|no|zero) (?:failed|failures|errors)
    (\d[\d,.]*) ?/ ?\1 (?:pass\w*|green|tests?|ok)
    (?:tests?|specs?|suite)\b[^.;]{0,20}\b(\d[\d,.]*) ?/ ?\2
    (?:all|both|every|each|two|three|four|five)\b[^.;,]{0,30}\b(?:scenarios?|cases?|examples?|assertions?|suites?)\b[^.;,]{0,20}\bpass(?:es|ed)?
    it passed every time
    (?:everything|it all|all of it) \w+ and passes
""")
"""Says how many tests passed."""
COMPILES = phrases(r"""
    (?:builds|built|compiles|compiled|linked|links) (?:successfully|cleanly|fine|ok|again|without (?:any )?(?:errors?|warnings|problems))
    (?:everything|it all|it|project|code|app|crate|package|image|bundle|solution|module|workspace|repo|wheel|frontend|backend|extension|plugin|firmware|\w+ target)s? (?:now )?(?:builds?|compiles?)(?=\W*$|[.,;!]| (?:again|now|and|with|without|under|on|cleanly|fine|for|in)\b)
    (?:baut|kompiliert)(?=\W*$|[.,;!]| (?:wieder|jetzt|nun|sauber|fehlerfrei|ohne|durch)\b)
    (?:compile(?:nt)?|se compile)(?=\W*$| (?:sans|bien|à nouveau|de nouveau|correctement)\b)
    compila(?:n)?(?=\W*$| (?:bien|sin|de nuevo|correctamente|limpio|sem)\b)
    is built and \w+
""")
"""Says that something builds."""
TYPE_CHECKS = phrases(r"""
    (?:everything|it all|it|the (?:project|code|frontend|package)) (?:now )?type-?checks
    (?:all )?type errors\b[^.;,]{0,20}\b(?:are|were) (?:now |all )*(?:resolved|fixed|gone)
""")
LINTED = phrases(r"""
    (?:lint|linter|eslint|ruff|clippy)\b[^.;,]{0,40}\b(?:are|were|is) (?:now |all )*(?:resolved|fixed|gone)
""")
SAYS_ALL = phrases(r"""
    all (?:the |of the )?checks (?:pass|passed|are passing|are green)
    (?:everything|all of (?:it|them)|all) (?:is |are |now |still |comes? back |came back )*(?:passes|passed|green)
    `?make check`? (?:passes|passed|succeeds)
    (?:alles|alle) (?:ist |sind )?(?:jetzt |wieder )?grün
    tout (?:est |passe )(?:au )?vert|tout passe
    todo (?:está )?en verde|todo pasa
""")
"""Of one kind or another: it is held against whatever ran."""
HANDS_ON = re.compile(
    r"(?<=pass|sses|ssed|sing)\s+(?:an?|the|its|their|his|each|every|none|null|true|false|over|along"
    r"|down|back|through|arguments?|\w+ (?:to|into)|it|them)\b",
    re.IGNORECASE,
)
"""What follows where something is passed on, and nothing passes."""
TELLS_CONTENT = re.compile(
    r"\s(?:checks?|verif\w+|asserts?|ensures?|covers?|expects?|proves?|confirms?|simulat\w+|mocks?"
    r"|sends?|calls?|whether|where|how|that (?:the|it|its|an?|no))\b(?! (?:pass|all|are|is)\b)",
    re.IGNORECASE,
)
"""Of a test that checks something it is that which passes or succeeds."""
COMPOUND = re.compile(
    r"(?:test|spec|suite|build|compilation|bundle|image|lint(?:er|ing)?|eslint|ruff|clippy|flake8"
    r"|rubocop|prettier|pre-commit|type[- ]?check(?:er|ing)?|types|mypy|pyright|tsc|typescript)"
    r"\s+([a-z]+)(?![\w./:])",
    re.IGNORECASE,
)
"""A check's name before another word: of `eslint config` it is the config that is spoken of."""
OF_A_RUN = phrases(r"""
    suites?|runs?|ran|steps?|stages?|jobs?|targets?|checks?|passes|results?|outputs?|status|reports?
    cases?|functions?|class|classes|modules?|methods?|files?
    errors?|warnings?|problems?|issues?|findings?
    is|are|was|were|be|been|has|have|had|does|do|did|it|we|I|you|that|which
    comes?|came|goes|went|finish\w*|complet\w*|stays?|remains?|exits?|returns?|gives?|says?|ends?
    reports?|shows?|finds?|found
    pass|clean|green|happy|succe\w+|ok|fine
    now|all|both|again|too|also|still|here|everywhere|once|then|back
    and|or|plus|for|in|of|on|with|without|under|over|after|from|against|across|to|at|by|as|via
    no|zero
    \w+ly|\w+ing|\w+ed
    ist|sind|läuft|laufen|bleibt|wieder|für|über|im|passent?|est|sont|sur|de|du|des|pasan?|está|están|en|del
""")
"""What may follow it where the check itself is meant, as one that ran."""
_WE = r"(?:I|we)(?:'ve| have)? (?:also |just |then |now |manually |again |since |even |additionally )*"
_START = r"(?:^|(?<=[:(,;] )|(?<=and )|(?<=then ))(?:also |just |then |manually |again |locally )*"
_PLACE = r"(?:browsers?|devices?|phones?|simulator|emulator|staging|prod(?:uction)?|sandbox|curl|postman|cluster|hardware|board|printer|chrome|firefox|safari|edge|android|ios|iphone|ipad|pixel|galaxy|windows|linux|macos|load|targets?|linters?|checkers?|validators?)"
_READ = r"(?![\w-]| (?:folders?|director\w+|files?|config\w*|values|settings|templates?|branch|code|docs?|sections?|modules?|classes|layouts?|styles?))"
"""What is named behind a place where nothing runs but something is written."""
_WHERE = (
    rf"(?:(?:in|on|against|with|from|via|through|under|using|by|at) (?:\S+ ){{0,4}}?(?:{_PLACE}{_READ}|running|hitting|clicking|calling|loading|opening|restarting)"
    r"|manually|locally|live|end[- ]to[- ]end|by hand|with (?:\S+ ){1,3}(?:stopped|down|off|on|disabled|enabled|running|unplugged)|\d+ times|several times|twice|repeatedly|in a loop|overnight)"
)
"""Where or how something runs that is tried out."""
_ACTS = r"(?:it|this|that|they|everything|the \w+(?: \w+)?) (?:now |still |also |no longer )*(?:works?|working|behaves?|renders?|succeeds?|loads?|starts?|responds?|answers?|connects?|arrives?|survives?|recovers?)"
TRIED = phrases(rf"""
    (?:{_WE}|{_START})(?:tested|load-tested|smoke-tested|stress-tested|benchmarked|exercised|profiled|reproduced|measured)\b(?! (?:to|for|whether|if)\b)(?=.{{0,80}}(?:{_WHERE}|\bit\b|\bthis\b|\bworks?\b))
    {_WE}(?:tested|load-tested|stress-tested|benchmarked|exercised)\b(?! (?:to|for|whether|if)\b)
    (?:{_WE}(?:ran|run)|{_START}(?:ran|re-?ran|executed)) (?:it|them|this|that|(?:the|a|all|both) (?:\w+ ){{0,3}}(?:tests?|suite|specs?|benchmarks?|quer(?:y|ies)|scripts?|programs?|apps?|commands?|jobs?|migrations?|playbook|pipeline|import|export))\b
    (?:{_WE}|{_START})(?:verified|confirmed|validated|checked|tried)\b[^;]{{0,60}}?\b{_WHERE}
    (?:{_WE}|{_START})(?:verified|confirmed|checked)(?: that)? [^;]{{0,30}}?{_ACTS}
    {_WE}(?:opened|watched|loaded|played|clicked|listened to|looked at)\b(?!.{{0,30}}\b(?:files?|code|diff|docs?)\b).{{0,40}}\b(?:afterwards|after that)
    (?:habe|hab) (?:es|das|ich|den|die|alles)\b[^.;,]{{0,50}}\b(?:getestet|ausprobiert|nachgemessen|durchgespielt|verifiziert)
    (?:im|auf|mit|gegen)\b[^.;,]{{0,40}}\b(?:getestet|ausprobiert|verifiziert)
    (?:lokal|manuell|erfolgreich) (?:getestet|geprüft|verifiziert)
    geprüft, dass .{{0,60}}\b(?:ankomm\w+|funktionier\w+|läuft|laufen|geht|klapp\w+)
    (?:je l'ai|j'ai)\b[^.;,]{{0,20}}\b(?:testé|essayé|lancé)\b[^.;,]{{0,50}}
    (?:testé|vérifié)e?s? (?:sur|en|avec|dans|contre|localement)
    (?:lo|la|los|las) he (?:probado|comprobado|ejecutado)
    (?:probado|comprobado)s? (?:en|con|contra|sobre|localmente)
""")
"""Says that something was tried out, which no reading can be."""
_END = r"(?=\W*$|[.,;!:]| and\b)"
WORKS = phrases(rf"""
    works? (?:now|again|as expected|as intended|as before|correctly|fine|properly|perfectly|flawlessly|great|end[- ]to[- ]end|everywhere|in (?:both|all) (?:browsers|environments)|on (?:both|all) (?:devices|platforms)|like a charm)
    (?:now|again|everything|all of it|both) (?:\w+ )?works?(?=\W*$|[.,;!:]| (?:on|in|with|and|for|as|again|now|fine)\b)
    (?:starts?|boots?|launch(?:es)?|loads?|renders?|connects?|runs?|responds?|plays?|opens?|syncs?|prints?|comes? up|resolves?|streams?|arrives?|comes? through) (?:up |fine |through )?(?:(?:on|in|with|under|from) (?:\S+ ){{1,4}})?(?:again|now){_END}
    (?:starts?|boots?|launch(?:es)?|loads?|renders?|connects?|runs?|responds?|plays?|opens?|syncs?|prints?|comes? up|streams?) (?:up |through )?(?:cleanly|correctly|fine|without (?:any )?(?:errors?|crash\w*|problems?|issues?))(?=\W*$|[.,;!:]| (?:on|in|with|and|for|again|now|under|from)\b)
    (?:lists?|shows?|returns?|answers?|gives|prints?|reports?|delivers?|sends?|receives?|finds?)\b[^.;,]{{0,60}}\bagain(?=\W*$)
    (?:pass|passes|arrives?)\b(?! through\b)[^.;,]{{0,40}}\bagain(?=\W*$)
    (?:is|are) (?:right|correct|accurate|in sync|consistent|complete|fast|smooth) again
    as (?:it|they) should(?=\W*$|,| and)
    (?:is|are|stays?|runs?) (?:now )?stable(?: now| again|,|$)
    (?:is|are) (?:back )?(?:up and running|working|healthy|reachable|back up|back online|live)(?: now| again)?(?=\W*$|[.,;!]| (?:and|on|in|at|with|now|again)\b)
    (?:funktioniert|läuft|startet|lädt|geht|verbindet sich) (?:jetzt|nun|wieder|einwandfrei|fehlerfrei|sauber|wie erwartet|korrekt|zuverlässig)
    (?:fonctionne(?:nt)?|marche(?:nt)?|tourne(?:nt)?|démarre(?:nt)?|répond(?:ent)?) (?:maintenant|à nouveau|de nouveau|désormais|bien|correctement|parfaitement|partout)
    (?:ya )?(?:funciona|arranca|carga|responde|conecta)n? (?:ahora|ya|bien|correctamente|de nuevo|otra vez|perfectamente)
    ya (?:funciona|arranca|carga|responde)n?
    (?:verified|confirmed|verifiziert|bestätigt|vérifié|verificado|comprobado)(?=\W*$)
""")
"""Says that a program behaves, as only who has seen it can."""
GONE = phrases(r"""
    (?:error|crash|crashes|warnings?|leak|flicker\w*|issue|problem|bug|exception|flak\w+|deadlock|jank|lag|hang|stutter\w*|spike)s? (?:is|are|has|have) (?:now |all |completely )*(?:gone|disappeared|vanished)
    (?:no longer|doesn't|does not|don't|can't|cannot|couldn't|never) reproduc\w*
    there(?:'s| is| are|'re) no (?:\w+ ){0,2}(?:loss|leaks?|errors?|crash\w*|flicker\w*|warnings?|duplicates?|deadlocks?|double \w+|timeouts?|lag|hang\w*) any ?more
    (?:fehler|absturz|warnung(?:en)?|leck) (?:ist|sind) (?:jetzt |nun )?(?:weg|verschwunden)
    (?:erreurs?|plantages?|avertissements?|fuites?) (?:a|ont) disparu
    (?:errore?s?|fallos?|avisos?|fugas?) (?:ha|han) desaparecido
""")
"""Says that something odd is seen no more."""
_UNIT = r"(?:ms|s|sec(?:onds?)?|min(?:utes?)?|µs|us|ns|h(?:ours?)?|kb|mb|gb|kib|mib|gib|%|percent|fps|req/s|rps|qps|x|\u00d7|sekunden|minuten|secondes?|segundos?|minutos?)"
_AMOUNT = rf"(?:about|around|roughly|~|≈|ca\.?|under|just|only|less than|almost|unter|etwa|environ|unos|\s)*\d[\d.,]* ?{_UNIT}(?![\w-])"
MEASURED = phrases(rf"""
    (?:went|goes|dropped|drops|fell|falls|came down|comes down|is down|are down|shrank|shrinks|improved|down|sank|sinkt|fällt|est passée?|passe|baj[óa]|ha bajado)\b[^.;]{{0,40}}?(?:from|von|de)\s+{_AMOUNT}[^.;]{{0,15}}?(?:to|auf|à|a)\s+{_AMOUNT}
    (?:(?:now|jetzt|only) (?:takes|runs in|finishes in|completes in|loads in|weighs|dauert)|took|loads in|finishes in|completes in|comes out at|clocks in at|settles at|(?:is|are) down to|dropped to|fell to)\s+{_AMOUNT}(?! (?:interval|timeout|ttl|default))
    (?:went|dropped|fell|came down) from (?:about |around |~)?\d[\d.,]* (?:queries|requests|calls|allocations|errors|warnings|failures) to (?:about |around |~)?\d
    \d[\d.,]* ?(?:x|\u00d7|times|mal|fois|veces) (?:faster|smaller|quicker|less|schneller|kleiner|plus rapide|más rápid\w+)
    \d[\d.,]* ?% (?:faster|smaller|quicker|less|fewer|schneller|kleiner)
""")
"""Gives a figure that somebody must have measured."""
DEED = phrases(rf"""
    (?:{_WE}|{_START})(?:deployed|redeployed|rolled out|published|uploaded|restarted|rebooted)(?= (?:it|the|to|both|everything|all|on|in|and|v?\d)\b|\W*$|[.,;:])
    {_WE}(?:re-?indexed|backfilled|rolled (?:it|them|this|the \w+) out|released v?\d[\d.]*|seeded the (?:database|db|tables?)|restored the (?:dump|backup|database))
    (?:{_WE}|{_START})(?:applied the (?:migrations?|manifests?)|pushed (?:it|both|everything|the (?:branch|commit|tag|image)s?|to (?:origin|main|master|the (?:remote|branch|registry)|github|gitlab)))(?! (?:in|down|up|into)\b)
    (?:is|are) (?:now )?(?:deployed|redeployed|rolled out|live)(?=\W*$|[,:;]| (?:to|on|in|now|and)\b)
    (?:is|are) now (?:published|uploaded|pushed|released|restarted|backfilled)
    (?:has|have) been (?:deployed|redeployed|rolled out|published|uploaded|pushed|released|restarted|backfilled)
    migrations? (?:ran|was applied|were applied|has been applied)\b
    (?:ist|sind|wurde|wurden) (?:jetzt )?(?:deployt|ausgerollt|veröffentlicht|hochgeladen|neu gestartet|gepusht|eingespielt)
    (?:a été|ont été) (?:déployée?s?|publiée?s?|redémarrée?s?|poussée?s?)
    (?:he|ha sido) (?:desplegad[oa]|publicad[oa]|reiniciad[oa]|subid[oa] a)
""")
"""Says that something was done beyond the files."""
PIPELINE = phrases(rf"""
    (?:CI|pipelines?|CI (?:run|pipeline|job)|workflow(?: run)?|github actions|actions run|gitlab)\b[^.;:]{{0,30}}?(?:{_IS}\s+{_ADVERBS}(?:green|passing|successful|through|grün|vert|verte|en verde|happy|clean)|{_ADVERBS}(?:pass(?:es|ed)|succeed(?:s|ed)|went through))(?!\w)
    (?:green|passing) (?:CI|pipeline|workflow)(?: run)?
""")
"""Says that what runs elsewhere has passed."""
WENT_WELL = phrases(r"""
    (?:applied|ran|runs|completed|finished|installed|installs|deployed|published|started|starts|migrated|imported|rolled out|went through)\b[^.;,]{0,25}\b(?:cleanly|successfully|fine|without (?:an |any )?(?:errors?|problems?|issues?|trouble))
""")
"""Says that a command did its work."""
OF_ALL = phrases(r"""
    all|every|everything|whole|full|entire|suite|zero
    0 failed
    no failures
    alle|ganze|gesamte|sämtliche|tous|toutes|toute|todos|todas|toda
""")
"""Then one failure is one too many, whatever else passed."""
OF_WHOLE = phrases(r"""
    (?:whole|full|entire|complete)\b.{0,20}\b(?:suite|tests?|test run)
    (?:ganze|gesamte|komplette)\w* (?:test)?suite|toute la suite|toda la (?:suite|batería)
    (?:all|every) (?:other )?tests? (?:in|of|across) the (?:repo|project|code ?base)
""")
"""Then a part that passed is not enough."""
NAMED = phrases(r"""
    pytest|jest|vitest|mocha|cargo|rspec|phpunit|junit|eslint|ruff|clippy|mypy|pyright|tsc
    unit|integration|e2e|end-to-end|smoke|backend|frontend|snapshot|regression
""")
NONE_LEFT = re.compile(
    r"\b(?:no|zero|0|without(?: any)?) (?:\w+ )?(warnings?|errors?)\b", re.IGNORECASE
)
"""Says that a check finds none of these."""
REPEATED = re.compile(r"\b(\d[\d,]*) (?:times|runs|iterations|rounds|passes|repetitions)\b")
"""Says how often something was tried."""
CLAIMED_COUNT = re.compile(
    r"(?:\b(?:all|the|suite|passed|green|tests?)\b|[(:,]|^)\W{0,3}(\d[\d,.]*\d|\d)(?! (?:new|more|added|extra))"
    r" (?:\w+ ){0,2}?(?:tests?|specs?|examples?|passed|passing|pass|green)\b",
    re.IGNORECASE,
)
JOINT = re.compile(
    r";\s+|\s+[\u2013\u2014]\s+|,\s+(?:and|und|et|y|but|aber|mais|pero)\s+", re.IGNORECASE
)
GOVERNS = re.compile(
    r"\W*(?:if|unless|once|until|when|whenever|after|before|as soon as|so that|in case|provided"
    r"|wenn|falls|sobald|bevor|si|quand|dès que|cuando)\b",
    re.IGNORECASE,
)
"""At the beginning of a sentence: then it limits all that follows."""


def clauses_of(sentence: str) -> list[str]:
    """Return the main clauses of a sentence, each of which may claim something for itself."""
    return [sentence] if GOVERNS.match(sentence) else JOINT.split(sentence)
