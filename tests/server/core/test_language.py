"""English is told from what only a multilingual model reads."""

# ruff: noqa: RUF001 - the letters of other languages look like that

from __future__ import annotations

import pytest

from hitherto_server.core.language import is_english
from hitherto_server.models.centre import TEXTS
from hitherto_server.models.sample_texts import sample_texts


@pytest.mark.parametrize(
    "text",
    [
        "why does the pool run dry",
        "deploy port staging",
        "fix the naïve café bug",
        "cannot find module 'de' in src → retry",
        "`ÜBERGABE` is spelled with an umlaut",
        "",
    ],
)
def test_english_is_read(text: str) -> None:
    assert is_english(text)


def test_every_sample_note_is_english() -> None:
    assert [text for text in sample_texts() if not is_english(text)] == []


@pytest.mark.parametrize(
    "text",
    [
        "Warum ist die Sicherung leer?",
        "pourquoi la sauvegarde est vide",
        "¿Por qué falla la copia?",
        "Почему пуст бэкап?",
        "部署端口",
        "端口 staging 是多少",
        "バックアップが空になる理由は？",
        "왜 백업이 비어 있나요",
        "ทำไมการสำรองข้อมูลว่าง",
        "لماذا النسخة فارغة",
    ],
)
def test_another_language_is_not_taken_for_english(text: str) -> None:
    assert not is_english(text)


def test_of_the_texts_in_ten_languages_the_english_ones_are_english() -> None:
    lines = TEXTS.strip().splitlines()
    assert all(map(is_english, lines[:6]))
    others = lines[6:]
    assert sum(map(is_english, others)) <= 1
