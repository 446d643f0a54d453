"""Near memories in a real server: told at once by words, later by meaning."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

from tests.server_process import wait_until
from tests.wiring import repository, rows

if TYPE_CHECKING:
    from pathlib import Path

    from tests.server_process import ServerProcess

FORMS = "Forms must be usable with the keyboard alone."
SAME_FORMS = "All forms have to work with only a keyboard."
RELATIONS = "SELECT kind, said_by FROM relation WHERE undone_at_ms IS NULL ORDER BY id"
CLIENTS, ROUNDS = 16, 5


def relations(server: ServerProcess) -> list[tuple[Any, ...]]:
    return rows(server.database, RELATIONS)


def test_many_clients_with_one_text_store_one_memory(server: ServerProcess, tmp_path: Path) -> None:
    server.start()
    folder = str(repository(tmp_path / "project"))
    for number in range(ROUNDS):
        text = f"Release {number} is cut from the stable branch."

        def remember(actor: int, text: str = text) -> Any:
            return server.call(
                "remember", content=text, project_dir=folder, actor=f"client {actor}"
            )

        with ThreadPoolExecutor(CLIENTS) as pool:
            replies = list(pool.map(remember, range(CLIENTS)))
        assert len({reply["id"] for reply in replies}) == 1
        outcomes = sorted(reply["outcome"] for reply in replies)
        assert outcomes == ["already_known"] * (CLIENTS - 1) + ["stored"]
    assert rows(server.database, "SELECT count(*) FROM memory") == [(ROUNDS,)]
    assert server.tracebacks() == []


def test_many_processes_with_one_text_store_one_memory(
    server: ServerProcess, tmp_path: Path
) -> None:
    server.start()
    folder = repository(tmp_path / "project")

    def remember(_: int) -> bytes:
        return server.run("remember", "The build needs Node 20.", cwd=folder).stdout

    with ThreadPoolExecutor(4) as pool:
        said = list(pool.map(remember, range(8)))
    assert rows(server.database, "SELECT count(*) FROM memory") == [(1,)]
    [(stored,)] = rows(server.database, "SELECT id FROM memory")
    assert all(stored.encode() in one for one in said)


def test_an_update_is_told_before_there_is_a_model(server: ServerProcess, tmp_path: Path) -> None:
    server.start()
    folder = str(repository(tmp_path / "project"))
    old = server.call("remember", content="Timeout is 30 s", project_dir=folder)
    new = server.call("remember", content="Timeout is 90 s", project_dir=folder)
    assert (new["outcome"], len(new["notes"])) == ("stored", 1)
    assert old["id"] in new["notes"][0]
    hits = server.call("recall", query="timeout", project_dir=folder)["hits"]
    standings = {hit["id"]: hit["standing"] for hit in hits}
    assert set(standings) == {old["id"], new["id"]}
    assert standings[old["id"]] == standings[new["id"]] == "conflicting"
    [reason] = [hit["standing_reason"] for hit in hits if hit["id"] == old["id"]]
    assert f"{new['id']} (newer: value changed 30 s -> 90 s)" in reason


def test_what_waits_for_a_model_is_compared_once_it_is_there(
    server: ServerProcess, tmp_path: Path, models_dir: Path
) -> None:
    server.start()
    folder = str(repository(tmp_path / "project"))
    for text in (FORMS, SAME_FORMS):
        assert server.call("remember", content=text, project_dir=folder)["notes"] == []
    assert relations(server) == []
    server.use_models(models_dir)
    server.restart()
    server.call("recall", query="forms", project_dir=folder)
    wait_until(lambda: relations(server), "the paraphrase is found", 60)
    assert relations(server) == [("duplicate_of", "rule")]
    wait_until(lambda: rows(server.database, "SELECT count(*) FROM job") == [(0,)], "none waits")
    hits = server.call("recall", query="forms keyboard", project_dir=folder)["hits"]
    assert [hit["standing"] for hit in hits] == ["unverified", "unverified"]
