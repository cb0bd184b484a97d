"""A random walk of learner, course and crashes: whatever the learner wrote is still there.

Every piece of work carries a token. A token may vanish only through the learner's own hand
(deleting a file, running a cell again). A sync or a reset, killed at any point, keeps them all.
"""

import os
import re
import tempfile
from contextlib import contextmanager
from pathlib import Path

from hypothesis import HealthCheck, settings, strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule

from labutils.workspace import Workspace, reset, sync
from labutils.workspace.manifest import NAME as MANIFEST
from labutils.workspace.notebook import work_of

from .conftest import CH00, CH03, Learner, notebook

KEYS = st.sampled_from([CH00, CH03])
STEPS = ("fsync", "link", "replace", "unlink")


class Killed(BaseException):
    """The process dies here."""


@contextmanager
def killed_at(count: int):
    """Die at the ``count``-th call that changes the disk, before or after it takes effect."""
    real, calls = {name: getattr(os, name) for name in STEPS}, [0]

    def deadly(name):
        def call(*args, **options):
            calls[0] += 1
            if calls[0] == count:
                if count % 2:
                    real[name](*args, **options)
                raise Killed
            if calls[0] > count:
                raise Killed  # the dead do not clean up
            return real[name](*args, **options)

        return call

    for name in STEPS:
        setattr(os, name, deadly(name))
    try:
        yield
    except Killed:
        pass
    finally:
        for name in STEPS:
            setattr(os, name, real[name])


class Walk(RuleBasedStateMachine):
    @initialize()
    def begin(self):
        self.folder = tempfile.TemporaryDirectory()
        root = Path(self.folder.name).resolve()
        (root / "pyproject.toml").write_text('name = "labutils"\n')
        (root / "notebooks").mkdir()
        self.workspace, self.learner = Workspace(root, root / "my"), Learner(root / "my")
        self.count = 0
        for key in (CH00, CH03):
            self.publish(key)
        sync(self.workspace)

    def teardown(self):
        if hasattr(self, "folder"):
            self.folder.cleanup()

    def next_token(self) -> str:
        self.count += 1
        return f"<token {self.count}>"

    def tokens(self) -> set[bytes]:
        paths = [path for path in self.workspace.my.rglob("*.ipynb") if path.is_file()]
        return set(re.findall(rb"<token \d+>", b"".join(path.read_bytes() for path in paths)))

    def guarded(self, action) -> None:
        """The course acts: no token goes, and every notebook in view is whole."""
        before = self.tokens()
        action()
        assert before <= self.tokens()
        for path in self.learner.path("notebooks").glob("[!.]*.ipynb"):
            assert work_of(path.read_bytes()) is not None

    def copies(self) -> list[Path]:
        return sorted(self.learner.path("notebooks").glob("[!.]*.ipynb"))

    def pick(self, data) -> str | None:
        names = [path.relative_to(self.workspace.my).as_posix() for path in self.copies()]
        return data.draw(st.sampled_from(names)) if names else None

    @rule(key=KEYS)
    def publish(self, key):
        self.count += 1
        (self.workspace.root / key).write_bytes(notebook(f"# version {self.count}", "answer = ..."))

    @rule(data=st.data())
    def learner_writes(self, data):
        if key := self.pick(data):
            self.learner.write(key, f"answer = '{self.next_token()}'")

    @rule(data=st.data())
    def learner_runs(self, data):
        if key := self.pick(data):
            self.learner.run(key, self.next_token())

    @rule(data=st.data())
    def learner_deletes(self, data):
        if key := self.pick(data):
            self.learner.path(key).unlink()

    @rule(data=st.data())
    def learner_renames(self, data):
        if key := self.pick(data):
            self.count += 1
            self.learner.path(key).rename(self.learner.path(f"notebooks/mine {self.count}.ipynb"))

    @rule(garbage=st.sampled_from([None, b"", b"{}", b'{"files": {}}']))
    def manifest_is_damaged(self, garbage):
        path = self.workspace.my / MANIFEST
        path.unlink(missing_ok=True)
        if garbage is not None:
            path.write_bytes(garbage)

    @rule()
    def sync_runs(self):
        self.guarded(lambda: sync(self.workspace))
        assert sync(self.workspace) == ()

    @rule(key=KEYS)
    def reset_runs(self, key):
        self.guarded(lambda: reset(key, self.workspace))
        edition = (self.workspace.root / key).read_bytes()
        assert self.learner.path(key).read_bytes() == edition

    @rule(count=st.integers(1, 20))
    def sync_is_killed(self, count):
        def action():
            with killed_at(count):
                sync(self.workspace)

        self.guarded(action)

    @rule(key=KEYS, count=st.integers(1, 12))
    def reset_is_killed(self, key, count):
        def action():
            with killed_at(count):
                reset(key, self.workspace)

        self.guarded(action)


TestWalk = Walk.TestCase
TestWalk.settings = settings(
    max_examples=60,
    stateful_step_count=25,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)
