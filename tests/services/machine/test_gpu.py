import asyncio
import json

from hermes.services.machine import gpu


def cards(folder, **scripts):
    for name, script in scripts.items():
        path = folder / name.replace("_", "-")
        path.write_text(f"#!/bin/sh\n{script}\n")
        path.chmod(0o755)
    return asyncio.run(gpu.cards({"PATH": f"{folder}:/usr/bin:/bin"}))


def test_a_machine_without_makers_programs_has_no_cards(tmp_path):
    assert asyncio.run(gpu.cards({"PATH": str(tmp_path)})) == "none found"


def test_nvidia_cards_are_read(tmp_path):
    lines = "NVIDIA A100, 40960, 1024, 37, 550.54\nGRID T4, [N/A], [N/A], [N/A], 550.54"
    assert cards(tmp_path, nvidia_smi=f"printf '{lines}\\n'") == [
        {
            "name": "NVIDIA A100",
            "memory": "1.0 GiB of 40.0 GiB used",
            "busy_percent": 37,
            "driver": "550.54",
        },
        {"name": "GRID T4", "memory": None, "busy_percent": None, "driver": "550.54"},
    ]


def test_a_driver_that_does_not_answer_is_told(tmp_path):
    found = cards(tmp_path, nvidia_smi="echo 'NVIDIA-SMI has failed'; exit 9")
    assert found == [{"error": f"{tmp_path}/nvidia-smi: NVIDIA-SMI has failed"}]


def test_a_program_that_hangs_is_told(tmp_path, monkeypatch):
    monkeypatch.setattr(gpu, "SECONDS", 0.2)
    found = cards(tmp_path, nvidia_smi="exec sleep 60")
    assert found == [{"error": "nvidia-smi gave no answer in 0.2 s"}]


def test_rocm_cards_are_read():
    text = json.dumps(
        {
            "card0": {
                "Card Series": "Radeon PRO W7900",
                "VRAM Total Memory (B)": str(48 * 1024**3),
                "VRAM Total Used Memory (B)": str(1024**3),
                "GPU use (%)": "5",
            },
            "system": {"Driver version": "6.7"},
        }
    )
    assert gpu.parse_rocm(text) == [
        {"name": "Radeon PRO W7900", "memory": "1.0 GiB of 48.0 GiB used", "busy_percent": 5}
    ]


def test_macos_chips_are_read():
    text = json.dumps({"SPDisplaysDataType": [{"sppci_model": "Apple M3", "sppci_cores": "10"}, 7]})
    assert gpu.parse_macos(text) == [{"name": "Apple M3", "cores": "10"}]


def test_output_that_is_not_json_names_no_card():
    assert gpu.parse_rocm("WARNING: no GPU") == []
    assert gpu.parse_macos("[]") == []
