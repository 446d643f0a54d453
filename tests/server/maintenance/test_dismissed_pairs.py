"""What a person took back in the clean-up, no job says again: neither a rule nor a judgment."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from tests.server.maintenance.conftest import says

from hitherto_server.api.cleaning import make_cleaner
from hitherto_server.cleaning.cleaner import EVERYWHERE

if TYPE_CHECKING:
    from tests.server.maintenance.conftest import Bench

    from hitherto_server.cleaning.cleaner import Cleaner
    from hitherto_server.cleaning.entries import Entry

OLD = "Deployments go out through the blue pipeline."
NEW = "Releases are shipped with the pipeline that is called blue."


async def listed(cleaner: Cleaner, which: Any) -> list[Entry]:
    page = await cleaner.page(which, EVERYWHERE, limit=9, cursor=None)
    return list(page.entries)


@pytest.mark.parametrize(
    ("which", "deed", "answers"),
    [
        ("duplicates", "dismiss", says("duplicate")),
        ("conflicts", "dismiss", says("conflicting", exclusive=0.9)),
        ("replaced", "apply", says("conflicting", exclusive=0.9, newer=0.99)),
    ],
)
async def test_what_was_judged_and_taken_back_is_judged_so_no_more(
    bench: Bench, which: Any, deed: Any, answers: Any
) -> None:
    cleaner = make_cleaner(bench.services)
    bench.stub.answers = answers
    await bench.write(OLD)
    newer = await bench.write(NEW, days=1)
    await bench.relate(newer)
    [entry] = await listed(cleaner, which)
    assert entry.said_by == "judge"
    done = await cleaner.act(which, deed, [entry.handle], actor="cli")
    assert bench.relations() == []
    await bench.relate(newer)
    await bench.relate(entry.members[1].id)
    assert bench.relations() == []
    assert await listed(cleaner, which) == []
    await cleaner.undo(done.action, actor="cli")
    assert [one.handle for one in await listed(cleaner, which)] == [entry.handle]


async def test_what_was_kept_as_replaced_stays_so_when_it_is_judged_again(bench: Bench) -> None:
    cleaner = make_cleaner(bench.services)
    bench.stub.answers = says("conflicting", exclusive=0.9, newer=0.99)
    await bench.write(OLD)
    newer = await bench.write(NEW, days=1)
    await bench.relate(newer)
    [entry] = await listed(cleaner, "replaced")
    await cleaner.act("replaced", "dismiss", [entry.handle], actor="cli")
    bench.stub.answers = says("unrelated")
    await bench.relate(newer)
    assert [one[0] for one in bench.relations()] == ["supersedes"]
    assert await listed(cleaner, "replaced") == []


async def test_what_only_a_rule_took_back_is_judged_so_again(bench: Bench) -> None:
    """The other way round: the jobs above would have spoken, had nobody said otherwise."""
    bench.stub.answers = says("duplicate")
    await bench.write(OLD)
    newer = await bench.write(NEW, days=1)
    await bench.relate(newer)
    query = "UPDATE relation SET undone_at_ms = 1, undone_by = 'rule'"
    await bench.services.store.writer.run(lambda c: c.execute(query).rowcount)
    assert bench.relations() == []
    await bench.relate(newer)
    assert [one[0] for one in bench.relations()] == ["duplicate_of"]
