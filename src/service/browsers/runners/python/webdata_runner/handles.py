"""Reads what handles of Playwright stand for, so that their text shows it."""

import asyncio
import math
import weakref

from playwright.async_api import JSHandle

from webdata_runner.nesting import can_wait


class Handles:
    """Reads a handle when its text is asked for, in at most `timeoutMs`: a page that shows a dialog doesn't answer.

    `source` is the JavaScript function that returns what a handle stands for, in about `length` characters.
    """

    def __init__(self, source, length, timeoutMs):  # noqa: N803: the names of the message
        self._function = f"handle => ({source})(handle, {length})"
        self._timeout = timeoutMs / 1000
        self._until = math.inf
        self._read = weakref.WeakKeyDictionary()
        self._loop = asyncio.get_running_loop()
        self._own_text = JSHandle.__str__
        JSHandle.__repr__ = JSHandle.__str__ = lambda handle: self._describe(handle)

    def begin_run(self):
        """Asks pages again that didn't answer in an earlier run."""
        self._until = math.inf

    def begin_result(self):
        """Limits the time for all the handles of a value."""
        self._until = min(self._until, self._loop.time() + self._timeout)

    async def _update(self, handle, timeout):
        reading = asyncio.ensure_future(handle.evaluate(self._function))
        done, _ = await asyncio.wait({reading}, timeout=timeout)
        if not done:
            # Waited for only once in a run.
            self._until = 0
            reading.cancel()
        elif not reading.cancelled() and not reading.exception():
            self._read[handle] = reading.result()

    def _describe(self, handle):
        timeout = min(self._timeout, self._until - self._loop.time())
        if timeout > 0 and can_wait(self._loop):
            self._loop.run_until_complete(self._update(handle, timeout))
        # Playwright knows of an element that has just been found only that it is a node.
        text = self._read.get(handle) or self._own_text(handle).removeprefix("JSHandle@").removeprefix("node")
        return f"<{type(handle).__name__} {text}".rstrip() + ">"
