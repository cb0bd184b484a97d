"""Asking for a model or a device by name, and what an import costs."""

import json
import subprocess
import sys

import pytest

from labutils import datafile, llm


def test_an_unknown_model_lists_the_closest_names():
    with pytest.raises(
        ValueError, match=r"model = 'Llama-3-8B': expected a name such as Llama-3\.1-8B"
    ):
        llm.model("Llama-3-8B")


@pytest.mark.parametrize("name", ("", "???", None, 7))
def test_a_name_like_no_other_lists_all(name):
    with pytest.raises(ValueError, match=r"expected one of Llama-2-7B.*Qwen3-Next-80B-A3B"):
        llm.model(name)
    with pytest.raises(ValueError, match=r"accelerator = .*expected one of T4.*Trainium3"):
        llm.accelerator(name)


def test_an_unknown_device_lists_the_closest_names():
    with pytest.raises(ValueError, match=r"accelerator = 'H100 NVL': expected .*H100 PCIe"):
        llm.accelerator("H100 NVL")


@pytest.mark.parametrize("given", ("llama-3.1-8b", "Llama 3.1 8B", "LLAMA_3.1_8B"))
def test_names_forgive_case_spaces_and_hyphens(given):
    assert llm.model(given) is llm.model("Llama-3.1-8B")


@pytest.mark.parametrize(
    "table, rows", (("models.json", "models"), ("accelerators.json", "accelerators"))
)
def test_each_status_is_explained_in_the_file(table, rows):
    content = json.loads(datafile(table).read_text(encoding="utf-8"))
    used = {letter for row in content[rows] for letter in row["status"].split("/")}
    assert used <= content["status"].keys()
    assert len({row["name"] for row in content[rows]}) == len(content[rows])


def test_importing_reads_no_table_and_loads_nothing_heavy():
    code = """
import sys
from labutils import llm
from labutils.llm.specification import catalog
heavy = {"torch", "scipy", "numba", "matplotlib", "transformers", "labutils.serving"}
assert not heavy & sys.modules.keys()
assert catalog._models.cache_info().currsize == catalog._accelerators.cache_info().currsize == 0
llm.model("Phi-4"), llm.model("Phi-4")
assert catalog._models.cache_info().misses == 1
"""
    subprocess.run([sys.executable, "-c", code], check=True)
