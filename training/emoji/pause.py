"""The training shares its machine: it sleeps while a given file exists, and ends in good order when it is told to."""

import signal
import time
from pathlib import Path


class Pause:
    """Called at every step. `asked_to_stop` turns true on SIGTERM or SIGINT; `before` runs when a pause begins."""

    def __init__(self, while_file: str | None, before=lambda: None):
        self.file = Path(while_file) if while_file else None
        self.before = before
        self.asked_to_stop = False
        self.slept = 0.0
        for name in (signal.SIGTERM, signal.SIGINT):
            signal.signal(name, self._stop)

    def _stop(self, *_):
        self.asked_to_stop = True

    def __call__(self) -> None:
        if self.file is None or not self.file.exists():
            return
        began = time.time()
        self.before()
        print("paused", flush=True)
        while self.file.exists() and not self.asked_to_stop:
            time.sleep(1)
        self.slept += time.time() - began
        print(f"going on after {time.time() - began:.0f} s", flush=True)
