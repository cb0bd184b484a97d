"""Waiting for a device: the right one, and torch's settings untouched."""

import subprocess
import sys

import pytest

from labutils.measure import synchronizer


def test_the_cpu_needs_no_waiting():
    import torch

    assert synchronizer("cpu") is None
    assert synchronizer(torch.device("cpu")) is None


@pytest.mark.parametrize("device", ["cuda", "cuda:1"])
def test_cuda_waits_for_that_device(monkeypatch, device):
    import torch

    waited = []
    monkeypatch.setattr(torch.cuda, "synchronize", waited.append)
    wait = synchronizer(device)
    assert waited == []
    wait()
    assert waited == [device]


def test_another_device_is_named():
    with pytest.raises(ValueError, match=r"device = 'mps': expected cpu or cuda"):
        synchronizer("mps")


def test_importing_and_timing_leave_torch_alone():
    code = (
        "import sys; from labutils import measure; assert 'torch' not in sys.modules\n"
        "import torch\n"
        "def settings(): return (torch.get_num_threads(), torch.get_num_interop_threads(),"
        " torch.get_float32_matmul_precision(), torch.is_grad_enabled())\n"
        "before = settings(); x = torch.ones(3, 5)\n"
        "measure.timed(lambda: x @ x.T, min_total_s=0, synchronize=measure.synchronizer('cpu'))\n"
        "assert settings() == before"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


@pytest.mark.gpu
def test_on_a_gpu_the_work_is_done_after_waiting():
    import torch

    square = torch.ones(8192, 8192, device="cuda")
    for _ in range(5):
        square @ square
    synchronizer("cuda")()
    assert torch.cuda.current_stream().query()
