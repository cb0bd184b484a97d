"""The live wall's buttons, pressed by the test: a real server, a fault, the answer, the end."""

import asyncio

import pytest

from labutils.live import FAULTS, LiveWall, live_wall

PATIENCE_S = 60.0


async def until(holds):
    async with asyncio.timeout(PATIENCE_S):
        while not holds():
            await asyncio.sleep(0.1)


async def hunt_on(wall, name):
    """Inject a fault, answer wrongly once, then rightly."""
    wall.explorer(wall=name)
    await until(lambda: not wall.inject_button.disabled)
    wall.inject_button.click()
    right = wall.hunt.fault
    wrong = next(fault for fault in FAULTS if fault != right)
    assert wall.explorer.controls["wall"].disabled and wall.inject_button.disabled
    wall.answers[wrong].click()
    await until(lambda: "Not that" in wall.explorer.finding)
    assert name not in wall.seconds
    wall.answers[right].click()
    assert all(button.disabled for button in wall.answers.values())
    await until(lambda: "Right:" in wall.explorer.finding)
    if name == live_wall.BEFORE:
        await until(lambda: "Choose the wall now, and inject a fault." in wall.explorer.finding)


async def played(wall):
    """Press every button once around, on both walls."""
    wall.start_button.click()
    await until(lambda: wall.service.is_running and len(wall.service.scrapes) > 2)
    process = wall.service._process
    for name in (live_wall.BEFORE, live_wall.NOW):
        await hunt_on(wall, name)
    wall.end_button.click()
    await until(lambda: not wall.start_button.disabled)
    assert process.poll() is not None


@pytest.mark.full
def test_a_hunt_on_each_wall_is_measured_and_told(monkeypatch):
    monkeypatch.setattr(live_wall, "CALM_S", 0.5)
    wall = LiveWall(7)
    assert wall.inject_button.disabled and wall.end_button.disabled
    asyncio.run(played(wall))
    before, now = (wall.seconds[name] for name in (live_wall.BEFORE, live_wall.NOW))
    assert before > live_wall.WRONG_S and now > live_wall.WRONG_S
    assert (
        f"{before:.0f} s on the wall before, {now:.0f} s on the wall now." in wall.explorer.finding
    )


def test_a_service_that_does_not_start_is_told(monkeypatch):
    wall = LiveWall(7)
    monkeypatch.setattr(
        wall.service, "start", lambda: (_ for _ in ()).throw(RuntimeError("no model"))
    )

    async def pressed():
        wall.start_button.click()
        await until(lambda: "no model" in wall.explorer.finding)

    asyncio.run(pressed())
    assert not wall.start_button.disabled


def test_before_anything_runs_there_are_words_and_no_empty_panels():
    wall = LiveWall(7)
    titles = [ax.get_title(loc="left") for ax in wall.explorer._frames.fig.axes]
    assert titles == [panel.title for panel in live_wall.AVERAGES]
    assert "Press Start" in wall.explorer.finding
    assert "<img" not in wall.explorer._picture_bundle()["text/html"]
    assert wall.explorer(wall=live_wall.NOW).endswith("The wall now looks back 5 s.")


def test_what_cannot_be_done_is_told_and_an_ended_wall_says_so():
    wall = LiveWall(7)
    with pytest.raises(RuntimeError, match="nothing is wrong: inject a fault first"):
        wall.answer("memory")
    with pytest.raises(ValueError, match="fault = 'flood': expected one of neighbour, memory"):
        wall.answer("flood")
    with pytest.raises(RuntimeError, match="does not run: start it first"):
        wall.refresh()
    wall.close()
    assert wall.explorer.finding == "The server has ended."


def test_an_axis_is_not_made_for_what_has_left_the_picture(monkeypatch):
    wall, tops = LiveWall(7), []
    monkeypatch.setattr(
        wall._panels, "draw", lambda panels, moments_s, *rest: tops.append(moments_s)
    )
    for moment_s in (0.0, 50.0, 100.0):
        wall._rows[live_wall.NOW].append((moment_s, [{}] * 10))
    wall.explorer(wall=live_wall.NOW)
    assert tops[-1].tolist() == [-50.0, 0.0]
