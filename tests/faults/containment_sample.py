"""Choose dangerous commands that can really run here."""

from __future__ import annotations

import json
import random
import re
import shutil
import subprocess
from pathlib import Path

from containment_programs import PROGRAMS

CORPUS = Path(__file__).parents[1] / "policy" / "corpus"
PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"


def sample(dangerous, floor, *, seed):
    """Return so many commands of each kind, the same ones each time on one machine."""
    chosen = random.Random(seed)
    return [
        *chosen.sample(_that_run("dangerous"), dangerous),
        *chosen.sample(_that_run("floor"), floor),
    ]


def _that_run(name):
    """Return the commands whose first word is no program that is missing here."""
    lines = (CORPUS / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
    commands = [json.loads(line)["command"] for line in lines]
    known = {*PROGRAMS, *_words_of_bash()}
    return [command for command in commands if _is_here(_first_word(command), known)]


def _first_word(command):
    found = re.match(r"\s*(?:\w+=\S*\s+)*([\w.+-]+)(?=\s|$)", command)
    return found.group(1) if found else None


def _is_here(word, known):
    return word is None or word in known or shutil.which(word, path=PATH) is not None


def _words_of_bash():
    asked = ["bash", "-c", "compgen -b; compgen -k"]
    return subprocess.run(asked, capture_output=True, text=True, check=True).stdout.split()
