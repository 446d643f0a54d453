"""The floor's weights are fitted to what recall looked at, and never to what only reports."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import fit_floors
from labelled import PROMPTS, read_projects
from vectors import KeptVectors

if TYPE_CHECKING:
    from pathlib import Path


async def test_a_prompts_candidates_are_kept_with_what_it_wants(
    tmp_path: Path, models_dir: Path
) -> None:
    (tmp_path / "models").symlink_to(models_dir)
    project = next(one for one in read_projects(PROMPTS) if one.half == "fit")
    wanting = next(one for one in project.prompts if one.kind == "question")
    trivial = next(one for one in project.prompts if one.kind == "trivial")
    few = replace(project, prompts=(wanting, trivial))
    searched, passed_over = await fit_floors.look([few], 0, KeptVectors(tmp_path))
    assert {one.name for one in searched.candidates if one.is_wanted} == wanting.wants
    assert len(searched.candidates) > len(wanting.wants)
    assert passed_over.candidates == ()


def test_the_sealed_sets_and_the_reported_half_are_not_read() -> None:
    read = {one.name for one in fit_floors.read_all()}
    sealed = read_projects(PROMPTS.parent / "blind" / "sealed" / "prompts")
    reported = [one for one in read_projects(PROMPTS) if one.half == "report"]
    assert sealed
    assert reported
    assert not {one.name for one in (*sealed, *reported)} & read
