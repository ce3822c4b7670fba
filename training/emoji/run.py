#!/usr/bin/env python3
"""One command for the entire training: environment, images, autoencoder, latents, flow. Each part runs once and can be continued.

    python3 training/emoji/run.py train [options of train.py]    in the foreground
    python3 training/emoji/run.py start [options of train.py]    in the background, pid and log in the work folder
    python3 training/emoji/run.py stop | status
    python3 training/emoji/run.py sharpen | export | evaluate | sample | micro [options]
"""

import os
import signal
import subprocess
import sys
import time
import venv

from settings import HERE, WORK

ENVIRONMENT, PID, LOG = WORK / "venv", WORK / "train.pid", WORK / "train.log"
PYTHON = ENVIRONMENT / "bin" / "python"
SCRIPTS = {
    "export": ["export.py"],
    "evaluate": ["evaluate.py"],
    "sample": ["sample.py"],
    "micro": ["micro.py"],
    "sharpen": ["train_autoencoder.py", "--decoder-only"],
}


def environment() -> None:
    ready, requirements = ENVIRONMENT / "requirements.txt", (HERE / "requirements.txt").read_text()
    if ready.exists() and ready.read_text() == requirements:
        return
    if not PYTHON.exists():
        venv.create(ENVIRONMENT, with_pip=True)
    subprocess.run([PYTHON, "-m", "pip", "install", "-r", HERE / "requirements.txt"], check=True)
    ready.write_text(requirements)


def python(*command) -> None:
    subprocess.run([PYTHON, *command], cwd=HERE, check=True)


def value_of(options: list[str], name: str) -> list[str]:
    return [name, options[options.index(name) + 1]] if name in options else []


def prepare(options: list[str]) -> None:
    """Creates all inputs of `train.py`."""
    WORK.mkdir(parents=True, exist_ok=True)
    environment()
    python(
        "-c",
        "import images, split, tokenizer\n"
        "images.make()\n"
        "index = images.load()[1]\n"
        "split.make(index)\n"
        "tokenizer.make([entry['name'] for entry in index])",
    )
    shared = [*value_of(options, "--pause-while"), *value_of(options, "--threads")]
    python("train_autoencoder.py", "--if-missing", *shared)


def running() -> int | None:
    try:
        pid = int(PID.read_text())
        os.kill(pid, 0)
        return pid
    except (FileNotFoundError, ProcessLookupError, ValueError):
        return None


def start(options: list[str]) -> None:
    if running():
        raise SystemExit(f"already running: {running()}")
    prepare(options)
    with LOG.open("a") as log:
        process = subprocess.Popen(
            [PYTHON, "train.py", *options],
            cwd=HERE,
            stdout=log,
            stderr=log,
            stdin=subprocess.DEVNULL,
            start_new_session=True,
            preexec_fn=lambda: os.nice(19),
        )
    PID.write_text(str(process.pid))
    print(f"training in the background as {process.pid}, log in {LOG}")


def stop() -> None:
    pid = running()
    if pid is None:
        print("not running")
        return
    os.kill(pid, signal.SIGTERM)
    while running():
        time.sleep(0.2)
    print("stopped, with a checkpoint")


def main() -> None:
    verb, options = (sys.argv[1] if len(sys.argv) > 1 else ""), sys.argv[2:]
    if verb == "train":
        prepare(options)
        python("train.py", *options)
    elif verb == "start":
        start(options)
    elif verb == "stop":
        stop()
    elif verb == "status":
        print(f"running: {running()}", *(LOG.read_text().splitlines()[-3:] if LOG.exists() else []), sep="\n")
    elif verb in SCRIPTS:
        environment()
        python(*SCRIPTS[verb], *options)
    else:
        raise SystemExit(__doc__)


if __name__ == "__main__":
    main()
