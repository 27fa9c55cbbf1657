"""Generated questions: this project's header and NVIDIA's front end give the same answers.

They leave out what the table of disagreements has, such as padding that would be narrowed.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from compilers import errors
from questions import Question, families, read_answers, some_questions, source

from pycuda_tile import spec

ASKED = 640


def answers(compiler: str, version: str, questions: list[Question], folder: Path) -> list[bool]:
    path = folder / f"{compiler}.cu"
    path.write_text(source(version, questions))
    return read_answers([error.message for error in errors(compiler, path)], len(questions))


@pytest.mark.wide
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("version", spec.API_VERSIONS)
def test_nvidia_agrees(version: str, seed: int, tmp_path: Path) -> None:
    questions = some_questions(version, ASKED, seed)
    theirs = answers(f"nvidia-{version}", version, questions, tmp_path)
    ours = answers(f"host-{version}", version, questions, tmp_path)
    differing = [
        f"{question}: {families(version)[question.concept]}: {answer} with NVIDIA's"
        for question, answer, own in zip(questions, theirs, ours, strict=True)
        if answer != own
    ]
    assert not differing, "\n".join(differing)
    assert 0.05 < sum(theirs) / len(theirs) < 0.95
