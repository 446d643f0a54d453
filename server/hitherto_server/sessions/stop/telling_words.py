"""The forms in which a turn's last message tells of a limit, the world outside or a trap."""

# ruff: noqa: E501 - a pattern is read as one line
from __future__ import annotations

from hitherto_server.core.phrases import phrases

LIMIT = phrases(r"""
    (?:can't|cannot|can not|could not|couldn't|won't|will not|may not|must not|mustn't) (?:be|\w+)
    never|nowhere|not (?:possible|allowed|supported|enough|available|even)|impossible|unsupported|no way to|there(?:'s| is| are) no
    (?:has|have|had|needs?|with|without|takes|accepts|allows?) no|nobody|nothing (?:in|of|on|but)|neither|none of
    only (?:when|if|if|the|for|in|on|with|from|after|works?|allows?|accepts?|supports?|counts?|one|an?|has|have|every)|must|have to|has to|requires?|needs? to|forces?|enforces?|mandatory
    limit(?:s|ed)?|caps?|capped|quota|maximum|at most|up to|no more than|exceeds?|truncat\w+
    reject(?:s|ed)?|refus(?:es|ed)|ignor(?:es|ed)|drops|dropped|swallow(?:s|ed)|discards?|strips?|skips|kills?|closes|evict\w*|throttl\w*|silently
    does(?:n't| not)|do(?:n't| not)|isn't|is not|aren't|are not|didn't|did not|wasn't
    nie(?:mals)?|kein\w*|nicht|nur|muss|darf|ne \w+ (?:pas|plus|jamais|que)|jamais|aucune?|il faut|seulement|nunca|ningun\w*|sólo|solo|hay que|debe
""")
"""Says what is not possible, not so, or bound."""
WARNS = phrases(r"""
    note(?: that|:)|careful|beware|heads[- ]up|watch out|gotcha|pitfall|trap|caveat|workaround|keep in mind|be aware|mind (?:that|the)
    (?:one|another|two) (?:thing|catch|surprise|trap|more thing)s?|worth (?:knowing|noting|remembering)|for (?:later|next time|the record|whoever)
    don't|do not|whoever|anyone (?:who|touching|changing)|next time|in (?:the )?future|from now on|undocumented|not documented|contrary to|despite|in spite of|although|though|even though|even if|surpris\w+|unexpected\w*|odd(?:ly)?|strange(?:ly)?|misleading|turns out|actually|in fact|wrong(?:ly)?
    Achtung|Vorsicht|obwohl|trotz|eigentlich|attention|bien que|malgré|en fait|ojo|cuidado|aunque|a pesar
""")
"""Warns, or tells of what one would not think."""
OUTSIDE = phrases(r"""
    CI|runners?|containers?|docker|kubernetes|k8s|pods?|lambdas?|load balancers?|proxy|proxies|gateways?|CDN|VPN|WAF|ingress|envoy|NAT|cluster|nodes?|hosts?|servers?|machines?|laptops?|devices?|firmware|hardware|phones?|emulator|simulator
    windows|macOS|mac|linux|alpine|debian|ubuntu|musl|glibc|arm64|x86|intel
    safari|firefox|chrome|chromium|webkit|android|samsung|iOS|iphone|apple|google|node \d+|python \d[\d.]*|java \d+|ruby \d
    locale|time ?zones?|DST|UTC|daylight|clock
    upstream|vendors?|providers?|carriers?|third[- ]party|their (?:\w+ )?(?:docs|API|server|side|PDF|support|end)|sandbox|insurer|banks?|regulator|legal|contract|audit\w*|compliance
    prod(?:uction)?|staging|customers?|clients?|tenants?|users|the (?:\w+ )?team|old (?:system|import|data|clients?|versions?)|legacy|historical|imported
    postgres\w*|mysql|sqlite|redis|kafka|rabbitmq|nginx|S3|AWS|RDS|GCP|azure|cloudflare|stripe|github|gitlab|pgbouncer|oracle|mongo\w*
    kernel|filesystem|file system|NFS|firewall|DNS|TLS|certificates?|cron|systemd|driver|compiler|linker|scheduler|garbage collector
    since (?:version )?v?\d+(?:\.\d+)+|(?:below|before|from|until|as of|in) v?\d+(?:\.\d+)+|v?\d+\.\d+ (?:drops|removed|changed|refuses|needs|requires)|changelog|release notes|deprecated
""")
"""What a repository's own files tell little of: where it runs, what it talks to, who asked."""
SEEKS = phrases(r"""
    why|how come|root cause|what(?:'s| is) (?:going on|wrong|happening)|warum|wieso|weshalb|woran|pourquoi|por qu\u00e9
    (?:find|figure|track|hunt)\b.{0,20}\b(?:out|down)|investigate|debug|diagnose|look into|analy[sz]e
    which (?:\w+ )?(?:of|one|do we|should)|(?:should|can|could|shall) (?:we|I)|decide|choose|pick|evaluate|compare|is it (?:possible|worth)|try
""")
"""A prompt that wants a cause or a choice."""
SYMPTOM = phrases(r"""
    hang(?:s|ing)?|hung|crash\w*|fail(?:s|ed|ing|ures?)?|flak\w+|break(?:s|ing)?|broke|broken|leak\w*|slow\w*|stuck|drop(?:s|ped)?
    drifts?|late|lost|lose|missing|disappear\w*|duplicates?|twice|double|deadlock\w*|times? out|timeouts?|rejects?|refus\w+
    killed|dies|die|stale|ignore[sd]?|errors?|exceptions?|wrong|weird|odd|random\w*|sometimes|intermittent\w*|again|bugs?|expired|can't|doesn't|don't|never|not work\w*|reset|empty|blank|climbs?|spikes?|corrupt\w*|50\d|40\d
    geht nicht|funktioniert nicht|kaputt|Fehler|stürzt|hängt|langsam|plante|lent|erreur|ne marche|expiré|falla|lento|no funciona|se cae|error
""")
"""Something odd."""
DEALT = phrases(r"""
    ^(?:and |then |also )?(?:added|add|renamed|moved|removed|deleted|updated|changed|replaced|extracted|created|wrote|fixed|bumped|upgraded|set|made|converted|split|refactored|cleaned|sorted|formatted|translated|implemented|documented|introduced|wired|registered|exposed|dropped|switched|committed|pushed|merged|done|regenerated|ran|put|swapped|inlined|reworded|applied|migrated|tidied|deduplicated|simplified|restored|reverted|rebased|tagged|enabled|disabled|installed|covered|collapsed|hinzugefügt|geändert|umbenannt|erledigt|ajouté|renommé|corrigé|fait|añadido|renombrado|cambiado|hecho|listo)\b
""")
"""Begins by saying what was changed."""
NOT_DONE = phrases(r"""
    (?:haven't|have not|didn't|did not) (?:run|ran|tested|tried|checked|verified|touched|changed)|not (?:yet|tested|run|verified)|untested|unverified|still (?:to|fails?|open)|not (?:the )?(?:cause|reason)
""")
"""Tells what was left."""
