"""Copy bandwidth and matrix rate: what is counted, and that the work is really done."""

import pytest

from labutils.measure import CopyBandwidth, MatrixRate, Timing, copy_bandwidth, matrix_rate


class Clock:
    """Every reading is later than the last by 2, 3, 5, 2, 3, 5 … seconds."""

    def __init__(self):
        self.now_s, self.turn = 0.0, 0

    def __call__(self):
        self.now_s += (2.0, 3.0, 5.0)[self.turn % 3]
        self.turn += 1
        return self.now_s


def test_rates_are_amounts_over_durations():
    timing = Timing((2.0, 2.5, 4.0, 2.4, 2.6))
    rate = CopyBandwidth(600.0, timing, "cpu")
    assert rate.bytes_per_s == 240
    assert rate.low_per_s == 600 / timing.high_s < rate.per_s < rate.high_per_s
    assert MatrixRate(2.0 * 7**3, timing, "cpu", "float32", 7).flops_per_s == 686 / 2.5


def test_a_copy_counts_what_is_read_and_what_is_written():
    rate = copy_bandwidth(num_bytes=999, repeats=3, min_total_s=0, warm_up=0, clock=Clock())
    assert rate.amount == 2 * 999
    assert rate.bytes_per_s == pytest.approx(1998 / rate.timing.median_s)
    assert rate.device == "cpu"


def test_a_product_counts_multiplications_and_additions():
    rate = matrix_rate(size=13, dtype="float64", repeats=5, min_total_s=0, clock=Clock())
    assert rate.amount == 2 * 13 * 13 * 13
    assert len(rate.timing.samples_s) == 5
    assert (rate.dtype, rate.size) == ("float64", 13)


def test_every_timed_call_does_the_work_on_the_whole_array(monkeypatch):
    import torch

    copies, products = [], []
    copy, product = torch.Tensor.copy_, torch.mm

    def watched_copy(target, source):
        result = copy(target, source)
        copies.append((target.numel() * target.element_size(), bool((target == source).all())))
        return result

    def watched_product(left, right, *, out):
        products.append((tuple(left.shape), tuple(right.shape), left.dtype))
        return product(left, right, out=out)

    monkeypatch.setattr(torch.Tensor, "copy_", watched_copy)
    monkeypatch.setattr(torch, "mm", watched_product)
    copy_bandwidth(num_bytes=1001, repeats=3, warm_up=2, min_total_s=0)
    assert copies == [(1001, True)] * 5
    matrix_rate(size=9, dtype="bfloat16", repeats=2, warm_up=1, min_total_s=0)
    assert products == [((9, 9), (9, 9), torch.bfloat16)] * 3


def test_torchs_settings_stay_as_they_are():
    import torch

    torch.manual_seed(11)
    before = (torch.get_num_threads(), torch.get_float32_matmul_precision(), torch.rand(3).tolist())
    torch.manual_seed(11)
    matrix_rate(size=5, repeats=1, min_total_s=0)
    after = (torch.get_num_threads(), torch.get_float32_matmul_precision(), torch.rand(3).tolist())
    assert before == after


@pytest.mark.gpu
def test_a_gpu_waits_for_its_work():
    fast, slow = (matrix_rate("cuda", size=size, repeats=5).timing for size in (512, 8192))
    assert slow.median_s > 5 * fast.median_s
    assert copy_bandwidth("cuda", repeats=5).bytes_per_s > 1e11


@pytest.mark.parametrize("measure", (copy_bandwidth, matrix_rate))
@pytest.mark.parametrize("device", ("tpu", "", "gpu:0", None))
def test_other_devices_are_refused(measure, device):
    with pytest.raises(ValueError, match="expected cpu or cuda"):
        measure(device)


@pytest.mark.parametrize("dtype", ("int8", "float33", "ones", None, 32))
def test_other_types_are_refused(dtype):
    with pytest.raises(ValueError, match="dtype = "):
        matrix_rate(size=4, dtype=dtype)


def test_sizes_are_whole_numbers():
    with pytest.raises(ValueError, match="num_bytes = 0"):
        copy_bandwidth(num_bytes=0)
    with pytest.raises(ValueError, match=r"size = 2\.5"):
        matrix_rate(size=2.5)
