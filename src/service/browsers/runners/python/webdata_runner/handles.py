"""Reads what handles of Playwright stand for, so that their text shows it."""

import asyncio
import itertools
import weakref

from playwright.async_api import JSHandle

from webdata_runner.nesting import can_wait

_MAX_VISITED = 10_000
"""Values among which handles are looked for."""


class Handles:
    """Reads at most `most` handles of a value, in at most `timeoutMs`: a page that shows a dialog doesn't answer.

    `source` is the JavaScript function that returns what a handle stands for, in about `length` characters.
    """

    def __init__(self, source, length, most, timeoutMs):  # noqa: N803: the names of the message
        self._function = f"handle => ({source})(handle, {length})"
        self._most = most
        self._timeout = timeoutMs / 1000
        self._read = weakref.WeakKeyDictionary()
        self._loop = asyncio.get_running_loop()
        self._answers = True
        self._own_text = JSHandle.__str__
        JSHandle.__repr__ = JSHandle.__str__ = lambda handle: self._describe(handle)

    def begin_run(self):
        """Asks pages again that didn't answer in an earlier run."""
        self._answers = True

    async def read(self, value):
        """Reads the handles in a value. Never raises, unless its task is canceled."""
        tasks = [asyncio.ensure_future(self._text(handle)) for handle in self._find(value)]
        if tasks:
            _, pending = await asyncio.wait(tasks, timeout=self._timeout)
            self._answers = not pending
            for task in pending:
                task.cancel()

    async def _text(self, handle):
        try:
            self._read[handle] = await handle.evaluate(self._function)
        except Exception:  # noqa: BLE001: its page has closed or shows another document
            pass

    def _find(self, value):
        """Returns the handles in lists, tuples, sets and dictionaries. Calls none of a snippet's code."""
        found = []
        pending = [value]
        for item in pending:
            room = max(0, _MAX_VISITED - len(pending))
            if isinstance(item, JSHandle):
                found.append(item)
            elif type(item) in (list, tuple, set, frozenset):
                pending.extend(itertools.islice(item, room))
            elif type(item) is dict:
                pending.extend(itertools.islice(item.values(), room))
        return found[: self._most]

    def _describe(self, handle):
        # What a snippet prints. A page that doesn't answer is waited for only once in a run.
        if self._answers and can_wait(self._loop):
            self._loop.run_until_complete(self.read(handle))
        # Playwright knows of an element that has just been found only that it is a node.
        text = self._read.get(handle) or self._own_text(handle).removeprefix("JSHandle@").removeprefix("node")
        return f"<{type(handle).__name__} {text}".rstrip() + ">"
