"""The wordings of a rule or a decision in German, French and Spanish, and what only looks like one."""

# ruff: noqa: E501 - a pattern is read as one line
from __future__ import annotations

from typing import TYPE_CHECKING

from hitherto_server.core.phrases import any_of

if TYPE_CHECKING:
    import re

    from hitherto_contract.words import Kind

US = r"(?:bei uns|hier|in (?:diesem|unserem) (?:projekt|repo|team)|chez nous|ici|dans ce (?:projet|d[ée]p[ôo]t)|aqu[ií]|en este (?:proyecto|repo))"
ALWAYS_DE = r"(?:immer|nie|niemals|grundsätzlich|ausschließlich|stets)"
ALWAYS_FR = r"(?:toujours|jamais)"
ALWAYS_ES = r"(?:siempre|nunca|jam[áa]s)"

ABROAD: tuple[tuple[Kind, re.Pattern[str]], ...] = (
    (
        "preference",
        any_of(
            r"^(?:ab (?:jetzt|sofort|heute)|von nun an|k[üu]nftig|in zukunft)\b,?\s+(?!ich\b|er\b|sie\b)\w+",
            r"^(?:[àa] partir de maintenant|d[ée]sormais|dor[ée]navant)\b,?\s+(?!je\b|il\b|elle\b)\w+",
            r"^(?:a partir de ahora|de ahora en adelante|en adelante)\b,?\s+\w+",
        ),
    ),
    (
        "preference",
        any_of(
            rf"^{ALWAYS_DE}\s.{{3,}}\w+(?:en|ern|eln)\W*$",
            rf"^[\w-]+ (?:.{{0,60}} )?bitte {ALWAYS_DE}\s",
            rf"^{US}\s\w+ .{{0,60}}?\b{ALWAYS_DE}\b",
            rf"\b(?:kommt|kommen|gehört|gehören|bleibt|bleiben|nutzen|verwenden|machen|schreiben|wir) .{{0,60}}?\b{US}\b.{{0,40}}?\b{ALWAYS_DE}\b",
            rf"\bwir \w+en\b.{{0,50}}?\b{ALWAYS_DE}\b",
        ),
    ),
    (
        "preference",
        any_of(
            rf"(?:^|[:,]\s*)(?:{ALWAYS_FR}|{ALWAYS_ES})\s+(?:(?:de|d'|le|la|les|l'|el|los|las|un|une|una)\s?)?\w+",
            rf"\b(?:on|nous) (?:n'|ne )?\w+\s+{ALWAYS_FR}\b",
            r"^ne \w+ jamais\b",
            rf"\b{ALWAYS_ES}\s+\w+(?:amos|emos|imos)\b",
            rf"^(?:no )?\w+ {ALWAYS_ES}\s+\w+",
        ),
    ),
    (
        "decision",
        any_of(
            r"\bwir haben (?:uns )?.{0,80}?\b(?:entschieden|beschlossen|geeinigt|festgelegt)\b",
            r"\bwir (?:nutzen|verwenden|nehmen|benutzen)\b.{2,80}?\b(?:statt|anstatt|anstelle|, nicht|und nicht|, kein\w*)\b",
            rf"^{US},? (?:on|nous|wir)? ?(?:utilis(?:e|ons)|nutzen wir|nutzen|verwenden wir|usamos|utilizamos)\b",
            rf"\b(?:on utilise|nous utilisons|wir nutzen|wir verwenden|usamos|utilizamos) .{{0,40}}?{US}\b",
            r"\b(?:on a|nous avons) (?:décidé|choisi|convenu)\s+\w+",
            r"\b(?:on|nous) utilis(?:e|ons)\b.{2,80}?(?:au lieu d|plutôt qu|, pas\b|et non\b)",
            r"\b(?:hemos decidido|decidimos|acordamos)\s+\w+",
            r"\b(?:usamos|utilizamos)\b.{2,80}?(?:en lugar de|en vez de|, no\b|y no\b)",
        ),
    ),
    (
        "preference",
        any_of(
            r"^keine?[nrs]? .{3,80}? ohne \w+",
            r"^(?:pas|jamais) d(?:e |')(?!réponse|erreur|problème|résultat|différence|changement).{3,80}? sans \w+",
            r"^(?:ning[uú]n\w*|nada de|no) .{3,80}? sin \w+",
        ),
    ),
    (
        "fact",
        any_of(
            r"^(?:merk dir|denk(?:e)? (?:bitte )?daran|beachte)\b,?\s*(?:bitte)?[:,]?\s*(?:dass\b)?\s*\w+",
            r"^(?:retiens|souviens-toi|n'oublie pas) (?:bien )?que?\b",
            r"^(?:recuerda|ten en cuenta|acu[ée]rdate de) que\b",
        ),
    ),
    (
        "preference",
        any_of(
            r"^(?:ich (?:bevorzuge|mag lieber|hätte lieber|will (?:immer|nie))|je préfère|prefiero)\s+(?!das\b|dies|ça\b|cela\b|eso\b|esto\b)\w+"
        ),
    ),
)
MARKS = any_of(
    rf"\b(?:{ALWAYS_DE}|{ALWAYS_FR}|{ALWAYS_ES}|ab (?:jetzt|sofort|heute)|nun an|k[üu]nftig|zukunft|partir de"
    r"|d[ée]sormais|dor[ée]navant|adelante|wir|nous|on|hemos|\w+[aei]mos|merk dir|denke?|beachte|retiens"
    r"|souviens-toi|n'oublie|recuerda|ten en|acu[ée]rdate|bevorzuge|ohne|sans|sin|nutzen|usamos|utilizamos|lieber|préfère|prefiero|will)\b"
)
NOT_LASTING = any_of(
    r"\?\W*$",
    r"^(?:warum|wieso|weshalb|was|wie|wann|wo|wer|pourquoi|comment|quand|qui|est-ce|por qué|cómo|cuándo|quién)\b",
    r"\b(?:vielleicht|eventuell|womöglich|könnte[nt]?|würde|wahrscheinlich|peut-être|pourrait|quizás?|tal vez|a lo mejor|podría\w*)\b",
    r"\b(?:erstmal|fürs erste|vorerst|diesmal|heute|morgen|gerade|pour l'instant|aujourd'hui|demain|cette fois|por ahora|hoy|mañana|esta vez)\b",
    r"\b(?:wenn|falls) .*\b(?:fehler|absturz)|\b(?:kaputt|falsch|fehler|langsam|nervt|stürzt|schlägt fehl|hängt|"
    r"cassée?|erreurs?|plante|échoue|lente?|marche pas|roto|errores|error|falla|lento|funciona|funktioniert|fonctionne)\b",
    r"\b(?:sagt|sagte|meint|meinte|möchte|dit|disait|pense|dice|dijo|piensa) (?:dass|,|qu[e'])",
    r"^(?:ich|du|er|sie|es|je|tu|il|elle|ça|yo|tú) (?!bevorzuge|mag lieber|hätte lieber|will|préfère)\w+",
)
"""A question, a hedge, a moment, a fault, another's words: in any of these languages."""
