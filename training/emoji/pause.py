"""Lets the training share its computer: it sleeps while a file exists, and ends cleanly on a signal."""

import signal
import time
from pathlib import Path


class Pause:
    """Call it at every step. `is_stopping` becomes true on SIGTERM or SIGINT. `before_pause` runs when a pause begins."""

    def __init__(self, while_file: str | None, before_pause=lambda: None):
        self.file = Path(while_file) if while_file else None
        self.before_pause = before_pause
        self.is_stopping = False
        self.slept = 0.0
        for name in (signal.SIGTERM, signal.SIGINT):
            signal.signal(name, self._stop)

    def _stop(self, *_):
        self.is_stopping = True

    def __call__(self) -> None:
        if self.file is None or not self.file.exists():
            return
        began = time.time()
        self.before_pause()
        print("paused", flush=True)
        while self.file.exists() and not self.is_stopping:
            time.sleep(1)
        self.slept += time.time() - began
        print(f"continuing after {time.time() - began:.0f} s", flush=True)
