"""The engine stays small: what a learner has to read, and what one step passes through."""

import sys
from pathlib import Path

import torch

import labutils.engine
from labutils.engine import Engine, LlamaModel, small_spec

ROOM = Path(labutils.engine.__file__).parent
TAUGHT = sorted(path for path in ROOM.glob("*.py") if not path.name.startswith("model"))


def lines(path: Path) -> int:
    return len(path.read_text(encoding="utf-8").splitlines())


def test_it_can_be_read_in_an_evening():
    assert len(TAUGHT) <= 9
    assert sum(map(lines, TAUGHT)) <= 950
    assert max(map(lines, TAUGHT)) <= 230


def test_its_door_gives_the_reading_order_of_every_file():
    read = labutils.engine.__doc__
    order = [read.index(f"``{path.stem}``") for path in TAUGHT if path.stem != "__init__"]
    assert len(set(order)) == len(TAUGHT) - 1
    assert "``model``" in read and "``model_rope``" in read


def test_a_decode_step_passes_through_nine_files_at_most():
    spec = small_spec(layers=2, hidden_size=24, num_heads=4, num_kv_heads=2, head_dim=6)
    engine, seen = Engine(LlamaModel(spec)), set()
    for prompt in ([1, 2, 3], [4], [5, 6]):
        engine.add_request(prompt, max_output_tokens=9)
    for _ in range(3):
        engine.step()

    def note(frame, event, _argument):
        if event == "call" and "labutils" in frame.f_code.co_filename:
            seen.add(frame.f_code.co_filename)

    sys.setprofile(note)
    try:
        with torch.inference_mode():
            told = engine.step()
    finally:
        sys.setprofile(None)
    assert len(told) == 3
    assert len(seen) <= 9, sorted(seen)
    assert any(name.endswith("attention.py") for name in seen)
