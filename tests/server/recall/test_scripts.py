"""Words alone find a memory in every script: no model is loaded here."""

# ruff: noqa: RUF001 - the letters of other scripts look like that

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from hitherto_server.core.text import identifiers_in
from hitherto_server.core.words import folded
from hitherto_server.recall.query import prepare

if TYPE_CHECKING:
    from tests.server.recall.conftest import Shelf

# a memory, a question that a person would ask about it, and another memory in the same language
CASES = {
    "Chinese": (
        "数据库连接池在高负载下会耗尽，请在 finally 块中关闭游标。",
        "连接池为什么耗尽？",
        "夜间备份复制了空文件夹，因为挂载点丢失。",
    ),
    "Japanese": (
        "データベースの接続プールは負荷が高いと枯渇する。カーソルを閉じること。",
        "接続プールが枯渇する原因は？",
        "夜間バックアップは空のフォルダーをコピーしていた。",
    ),
    "Japanese, one ideograph": (
        "署名の鍵は起動時に一度だけ読む。",
        "鍵はいつ読む？",
        "画像は横向きで保存される。",
    ),
    "Korean": (
        "데이터베이스 연결 풀은 부하가 걸리면 고갈된다.",
        "연결 풀이 왜 고갈되나요?",
        "야간 백업이 빈 폴더를 복사했다.",
    ),
    "Thai": (
        "พูลการเชื่อมต่อฐานข้อมูลหมดเมื่อมีโหลดสูง ให้ปิดเคอร์เซอร์",
        "ทำไมการเชื่อมต่อฐานข้อมูลหมด",
        "การสำรองข้อมูลตอนกลางคืนคัดลอกโฟลเดอร์ว่าง",
    ),
    "Arabic": (
        "تنفد مجموعة اتصالات قاعدة البيانات تحت الحمل.",
        "لماذا تنفد اتصالات قاعدة بيانات الخادم؟",
        "نسخ النسخ الاحتياطي الليلي مجلدًا فارغًا.",
    ),
    "Arabic, vowelled": (
        "يَستمع الخادِم على المنفذ 8443.",
        "على أي منفذ يستمع الخادم؟",
        "المبالغ أعداد صحيحة.",
    ),
    "Russian": (
        "Пул соединений базы данных исчерпывается под нагрузкой.",
        "Почему исчерпан пул соединения с базой?",
        "Ночная резервная копия скопировала пустую папку.",
    ),
    "German": (
        "Beträge werden als ganze Cent gespeichert, nie als Gleitkommazahl.",
        "Wie werden BETRÄGE gespeichert?",
        "Die nächtliche Sicherung hat einen leeren Ordner kopiert.",
    ),
    "German, sharp s": (
        "Die Größe der Straßenkarte ist auf 4 MB begrenzt.",
        "STRASSENKARTE Grösse",
        "Der Zeitgeber läuft nach 30 Sekunden ab.",
    ),
    "Hindi": (
        "सर्वर का पोर्ट 8443 है और वह nginx के पीछे चलता है।",
        "सर्वर का पोर्ट क्या है?",
        "रात का बैकअप खाली फ़ोल्डर की नकल करता था।",
    ),
    "French": (
        "Le délai d’expiration de la requête est fixé à trente secondes.",
        "delai d'expiration requete",
        "La sauvegarde de nuit a copié un dossier vide.",
    ),
}


@pytest.mark.parametrize("language", CASES)
async def test_a_question_finds_its_memory_by_words_alone(shelf: Shelf, language: str) -> None:
    wanted, question, other = CASES[language]
    number = await shelf.add(wanted)
    await shelf.add(other)
    assert (await shelf.found(question))[:1] == [number]


async def test_a_question_in_chinese_is_covered_by_the_memory_that_answers_it(
    shelf: Shelf,
) -> None:
    await shelf.add("部署端口改为 8443。")
    reply = await shelf.ask("部署端口")
    assert reply.hits[0].keyword_coverage == 1.0


async def test_a_name_inside_a_sentence_without_spaces_is_found(shelf: Shelf) -> None:
    number = await shelf.add("请修改src/pool.py的超时设置，把parse_config改掉。")
    await shelf.add("src/other.py也要改。")
    assert await shelf.found("src/pool.py") == [number]
    assert await shelf.found("`parse_config`") == [number]


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("为什么数据库连接不够用？", ("数据", "据库", "库连", "连接", "够用")),
        ("Wie werden Beträge gespeichert?", ("betrage", "gespeichert")),
        ("Почему пуст журнал?", ("пуст", "журнал")),
        ("لماذا السجل فارغ؟", ("سجل", "فارغ")),
        ("接続が枯渇するのはなぜ？", ("接続", "枯渇")),
    ],
)
def test_what_every_question_says_is_not_looked_for(question: str, words: tuple[str, ...]) -> None:
    assert prepare(question).words == words


def test_the_sentence_around_a_name_is_no_part_of_it() -> None:
    assert identifiers_in("修改src/app.py的超时（E1234）。") == ["src/app.py", "E1234"]


def test_folding_twice_changes_no_plain_text() -> None:
    for wanted, _, _ in CASES.values():
        assert folded(folded(wanted)).split() == folded(wanted).split()
