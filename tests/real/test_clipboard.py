"""The clipboard of a real X server and of a real Wayland compositor."""

import asyncio
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest

from hermes.services import clipboard as module
from hermes.services.clipboard import Clipboard

TEXTS = ["", "plain", "grün 日本語 👩‍🚀", "two\nlines\n", "-flag --help", "x" * 1_000_000]


def need(program, package):
    found = shutil.which(program)
    if found is None:
        pytest.skip(f"needs {program} (apt package {package}): not installed")
    return found


@pytest.fixture(scope="session")
def display():
    """Run an X server of our own; it chooses a free display by itself."""
    server = need("Xvfb", "xvfb")
    readable, writable = os.pipe()
    command = [server, "-displayfd", str(writable), "-screen", "0", "64x64x24", "-nolisten", "tcp"]
    with subprocess.Popen(command, pass_fds=[writable], stderr=subprocess.DEVNULL) as process:
        os.close(writable)
        with os.fdopen(readable) as answer:
            number = answer.readline().strip()
        try:
            yield f":{number}"
        finally:
            process.terminate()


@pytest.fixture(params=[("xclip", module.XCLIP), ("xsel", module.XSEL)], ids=["xclip", "xsel"])
def board(request, display, tmp_path):
    """Reach the X clipboard through one program only."""
    name, backend = request.param
    (tmp_path / name).symlink_to(need(name, name))
    board = Clipboard({"PATH": str(tmp_path), "DISPLAY": display}, platform="linux")
    assert board._backend() is backend
    return board


def round_trip(board, text):
    async def both():
        written = await board.write("t", text)
        return written, await board.read("another task")

    return asyncio.run(both())


@pytest.mark.parametrize("text", TEXTS, ids=lambda text: repr(text[:10]))
def test_text_makes_the_round_trip_through_an_x_server(board, text):
    written, read = round_trip(board, text)
    assert written["written_characters"] == len(text)
    assert read == {"text": text, "backend": written["backend"]}


def test_what_we_write_other_programs_read(board, display):
    asyncio.run(board.write("t", "for others"))
    command = [need("xclip", "xclip"), "-selection", "clipboard", "-out"]
    environment = {"DISPLAY": display}
    assert subprocess.check_output(command, env=environment, timeout=10) == b"for others"


def wait_for_target(xclip, environment, target):
    """xclip goes to the background before it owns the clipboard; ask until it does."""
    command = [xclip, "-selection", "clipboard", "-out", "-target", "TARGETS"]
    for _ in range(500):
        asked = subprocess.run(command, env=environment, capture_output=True, timeout=10)
        if target in asked.stdout:
            return
    raise AssertionError(f"the clipboard never offered {target}")


def test_an_image_on_the_clipboard_is_no_text(display):
    xclip = need("xclip", "xclip")
    environment = {"DISPLAY": display, "PATH": str(Path(xclip).parent)}
    command = [xclip, "-selection", "clipboard", "-target", "image/png", "-in"]
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    subprocess.run(command, input=b"\x89PNG", env=environment, check=True, timeout=10, **quiet)
    wait_for_target(xclip, environment, b"image/png")
    with pytest.raises(module.Unavailable, match="holds no text but image/png"):
        asyncio.run(Clipboard(environment, platform="linux").read("t"))


def test_a_server_that_is_not_there_is_told(tmp_path):
    environment = {"DISPLAY": ":54321", "PATH": str(Path(need("xclip", "xclip")).parent)}
    with pytest.raises(module.Unavailable, match=r"xclip could not reach the clipboard: .*54321"):
        asyncio.run(Clipboard(environment, platform="linux").read("t"))


@pytest.fixture(scope="session")
def wayland():
    """Run a Wayland compositor without a screen."""
    compositor = need("sway", "sway")
    need("wl-copy", "wl-clipboard")
    # Not tmp_path: a socket's path must be short.
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryFile() as log:
        environment = {"XDG_RUNTIME_DIR": folder, "PATH": os.environ["PATH"], "HOME": folder}
        headless = {"WLR_BACKENDS": "headless", "WLR_RENDERER": "pixman"}
        command = [*_as_nobody(folder), compositor, "--config", "/dev/null"]
        streams = {"stdout": log, "stderr": log}
        process = subprocess.Popen(command, env=environment | headless, **streams)
        try:
            while not (sockets := list(Path(folder).glob("wayland-?"))):  # bounded by the timeout
                assert process.poll() is None, os.pread(log.fileno(), 5_000, 0)
            yield environment | {"WAYLAND_DISPLAY": sockets[0].name}
        finally:
            process.terminate()
            process.wait()


def _as_nobody(folder):
    """Return how root starts a compositor that refuses to run as root."""
    if os.getuid() != 0:
        return []
    os.chown(folder, 65534, 65534)
    return [need("setpriv", "util-linux"), "--reuid=65534", "--regid=65534", "--clear-groups"]


def test_an_empty_wayland_clipboard_reads_as_no_text(wayland):
    board = Clipboard(wayland, platform="linux")
    command = [need("wl-copy", "wl-clipboard"), "--clear"]
    subprocess.run(command, env=wayland, check=True, timeout=10)
    assert asyncio.run(board.read("t")) == {"text": "", "backend": "wl-clipboard"}


@pytest.mark.parametrize("text", ["plain", "grün 日本語", "two\nlines\n"])
def test_text_makes_the_round_trip_through_wayland(wayland, text):
    board = Clipboard(wayland, platform="linux")
    written, read = round_trip(board, text)
    assert written["backend"] == "wl-clipboard"
    assert read == {"text": text, "backend": "wl-clipboard"}
