"""English words that say nothing about what a text is about; negations are among them."""

from __future__ import annotations

WORDS = """
a about above after again against ago all almost already also although always am an and any
anybody anyone anything are around as ask at away back be because been before being below
between both but by came can cannot come could did didn do does doesn doing don done down
during each either else etc even ever every everything few for from further get gets getting
give given go goes going gone got had hadn has hasn have haven having he hello help her here
hers hey hi him his how however i if in instead into is isn it its itself just keep kind know
let like ll look lot made make makes making many may maybe me mean might mine more most much
must my myself need needs neither never no nobody none nor not nothing now of off ok okay on
once one ones only onto or other others our ours out over own per perhaps please put quite
rather re really s said same say see seem seems shall she should shouldn since so some somebody
someone something soon still such sure t take tell than thank thanks that the their theirs them
then there these they thing things think this those though through thus till to together too
toward towards try two under until up upon us use used using ve very want wants was wasn way we
well went were weren what whatever when where whether which while who whole whom whose why will
wish with within without won would wouldn yes yet you your yours yourself
"""

STOP_WORDS = frozenset(WORDS.split())

# Left out of what is embedded: they cost time and carry no meaning. The other stop words stay
# there, for a model reads "how to make", "without" and "not" as part of what is asked.
UNSAID = """
a an the is are was were be been am do does did i you he she it we they me my your please can
could would should will to of so just
"""

SCAFFOLDING = frozenset(UNSAID.split())
