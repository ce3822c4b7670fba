"""Runs coroutines without files and sockets: timers are all that they can wait for."""

import time


def run_coroutine(coroutine):
    # Most code awaits nothing, and this module is large.
    import asyncio

    class Timers:
        """Stands in for a selector of files."""

        def select(self, timeout):
            if timeout is None:
                raise RuntimeError("The code waits for something that cannot come")
            time.sleep(max(0, timeout))
            return []

        def close(self):
            pass

    class Loop(asyncio.BaseEventLoop):
        def __init__(self):
            super().__init__()
            self._selector = Timers()

        def _process_events(self, _events):
            pass

        def _write_to_self(self):
            pass

    loop = Loop()
    asyncio.set_event_loop(loop)
    return loop.run_until_complete(coroutine)
