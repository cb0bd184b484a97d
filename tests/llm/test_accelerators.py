"""The table of accelerators, typed in once more, and what a device answers."""

import pytest

from labutils import llm

# name, GB, TB/s, TFLOP/s in 16 bits, in 8 bits, link GB/s, printed ridge
PUBLISHED = (
    ("T4", 16, 0.320, 65, None, None, 203),
    ("L4", 24, 0.300, 121, 242, None, 403),
    ("A10", 24, 0.600, 125, None, None, 208),
    ("RTX 4090", 24, 1.008, 165, 330, None, 164),
    ("L40S", 48, 0.864, 362.05, 733, None, 419),
    ("RTX PRO 6000", 96, 1.792, 467.8, 935.6, None, 261),
    ("A100 40 SXM", 40, 1.555, 312, None, 600, 201),
    ("A100 80 SXM", 80, 2.039, 312, None, 600, 153),
    ("H100 PCIe", 80, 2.0, 756.5, 1513, None, 378),
    ("H100 SXM", 80, 3.35, 989, 1978, 900, 295),
    ("H200 SXM", 141, 4.8, 989, 1978, 900, 206),
    ("H20", 96, 4.0, 148, 296, 900, 37),
    ("B200", 180, 7.7, 2250, 4500, 1800, 292),
    ("GB200 GPU", 186, 8.0, 2500, 5000, 1800, 313),
    ("B300", 288, 7.75, 2250, 4500, 1800, 290),
    ("GB300 GPU", 288, 8.0, 2500, 5000, 1800, 313),
    ("MI300X", 192, 5.3, 1307.4, 2614.9, 896, 247),
    ("MI325X", 256, 6.0, 1307.4, 2614.9, 896, 218),
    ("MI355X", 288, 8.0, 2500, 5000, 1075, 313),
    ("TPU v5e", 16, 0.819, 197, 393, 400, 241),
    ("TPU v6e", 32, 1.638, 918, 1836, 800, 560),
    ("TPU7x", 206, 7.38, 2307, 4614, 1200, 313),
    ("Trainium3", 155, 4.9, 671, 2517, 2560, 137),
)


@pytest.mark.parametrize("name, gb, tb_per_s, wide, narrow, link, ridge", PUBLISHED)
def test_a_device_has_its_published_figures(name, gb, tb_per_s, wide, narrow, link, ridge):
    device = llm.accelerator(name)
    assert device.name == name
    assert device.memory_bytes == gb * 1e9
    assert device.bandwidth_bytes_per_s == pytest.approx(tb_per_s * 1e12, rel=1e-12)
    assert device.peak() == pytest.approx(wide * 1e12, rel=1e-12)
    assert device.ridge() == pytest.approx(ridge, abs=0.51)
    assert device.link_bytes_per_s == (link and link * 1e9)
    if narrow:
        eight = "int8" if name.startswith("TPU v") else "fp8"
        assert device.peak(eight) == pytest.approx(narrow * 1e12, rel=1e-12)
        assert device.ridge(eight) == pytest.approx(narrow / tb_per_s, rel=1e-12)


def test_the_table_holds_exactly_these_devices_with_source_status_and_prices_in_order():
    assert list(llm.accelerator_names()) == [row[0] for row in PUBLISHED]
    for name in llm.accelerator_names():
        device = llm.accelerator(name)
        assert device.source and device.as_of in ("2026-08", "2026-11")
        assert device.status in ("V", "S", "V/S")
        low, high = device.price_per_hour or (0, 0)
        assert 0 <= low <= high


def test_four_bits_have_a_rate_where_the_chip_has_the_format_and_nowhere_else():
    rates = {name: llm.accelerator(name).peak_flops.get("fp4") for name in llm.accelerator_names()}
    known = {name: rate for name, rate in rates.items() if rate}
    assert known == pytest.approx({
        "RTX PRO 6000": 1.8712e15, "B200": 9e15, "GB200 GPU": 1e16, "B300": 1.4e16,
        "GB300 GPU": 1.5e16, "Trainium3": 2.517e15,
    })  # fmt: skip


def test_meshes_say_to_how_many_others_their_link_goes():
    peers = {name: llm.accelerator(name).link_peers for name in llm.accelerator_names()}
    assert {name: count for name, count in peers.items() if count} == {
        "MI300X": 7, "MI325X": 7, "MI355X": 7, "TPU v5e": 4, "TPU v6e": 4, "TPU7x": 6,
    }  # fmt: skip


def test_peaks_are_dense_and_not_the_sparse_figures_of_data_sheets():
    assert llm.accelerator("H200").peak("bf16") < 1979e12
    assert llm.accelerator("MI300X").peak("fp16") < 2615e12
    assert llm.accelerator("B200").peak("fp8") < 9000e12


@pytest.mark.parametrize(
    "given, meant",
    (
        ("H100", "H100 SXM"),
        ("a100-80gb", "A100 80 SXM"),
        ("tpu v5e", "TPU v5e"),
        ("h200", "H200 SXM"),
    ),
)
def test_names_forgive_case_spaces_and_hyphens(given, meant):
    assert llm.accelerator(given) is llm.accelerator(meant)


def test_either_16_bit_format_stands_for_the_other_and_no_other_precision_does():
    assert llm.accelerator("T4").peak("bf16") == llm.accelerator("T4").peak("fp16") == 65e12
    with pytest.raises(ValueError, match=r"precision = 'fp8'.*A100 80 SXM has a rate for: bf16"):
        llm.accelerator("A100").peak("fp8")


def test_a_device_of_your_own_takes_its_measured_rates():
    mine = llm.Accelerator(
        name="laptop", memory_bytes=8e9, bandwidth_bytes_per_s=53e9, peak_flops={"fp32": 217e9}
    )
    assert mine.ridge("fp32") == pytest.approx(217 / 53)
    assert mine.price_per_hour is None
    hash(mine)


@pytest.mark.parametrize(
    "field, value",
    (("memory_bytes", 0), ("bandwidth_bytes_per_s", -1.0), ("peak_flops", {"bf16": -3e12})),
)
def test_impossible_figures_are_refused(field, value):
    figures = {"memory_bytes": 8e9, "bandwidth_bytes_per_s": 5e10, "peak_flops": {"bf16": 1e12}}
    with pytest.raises(ValueError, match=field):
        llm.Accelerator(name="odd", **{**figures, field: value})
