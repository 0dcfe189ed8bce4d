"""Executes commands and sends their results."""

import asyncio
import atexit
import json
import os
import sys
import threading

from playwright.async_api import async_playwright

from webdata_runner.browser import CLOSED, Connection
from webdata_runner.errors import describe, end_script
from webdata_runner.handles import Handles
from webdata_runner.nesting import call, install
from webdata_runner.project import Project, set_environment
from webdata_runner.repl import Repl
from webdata_runner.streams import install_streams, write_all
from webdata_runner.values import result_text

_CLOSED_GRACE = 0.5
"""Seconds for a run to fail by itself after the browser has closed."""
_MEMORY_LIMIT = 2048 * 1024 * 1024
"""Bytes that snippets may allocate, if the system can limit them. More raises a MemoryError."""


def run_program(commands, messages):
    """Runs until the process is killed or a snippet exits."""
    install_streams()
    # A snippet imports from its own folder, not from the runner's.
    sys.path[0] = ""
    program = _Program(messages)
    try:
        asyncio.run(program.serve(commands))
    except SystemExit as error:
        _exit(error)


class _Program:
    def __init__(self, messages):
        self._messages = messages
        self._process = os.getpid()
        self._repl = Repl()
        self._project = Project()
        self._connection = None
        self._handles = None
        self._nonce = None
        self._running = None

    async def serve(self, commands):
        loop = asyncio.get_running_loop()
        loop.set_exception_handler(_report_stray)
        install()
        lines = _lines(loop, commands)
        await self._start(json.loads(await anext(lines)))
        async for line in lines:
            # Not awaited, because a run whose browser has closed is answered before it ends.
            self._running = asyncio.ensure_future(self._run(json.loads(line)))

    async def _start(self, start):
        playwright = await async_playwright().start()
        self._repl.variables["playwright"] = playwright
        self._connection = Connection(
            playwright.chromium, start["cdpUrl"], start.get("downloads"), self._repl.variables, self._fail_current
        )
        self._handles = Handles(**start["handles"])
        ready = {"type": "ready"}
        try:
            await self._connection.connect()
        except Exception as error:
            ready["error"] = str(error)
        # Playwright's own process is already running, so the limit doesn't apply to it.
        _limit_memory()
        self._send(ready)

    async def _run(self, message):
        nonce = message["nonce"]
        self._nonce = nonce
        self._send({"type": "started", "nonce": nonce})
        try:
            # Before all that can fail: each run is only told what changes.
            set_environment(message["environment"])
            await self._connection.refresh(message.get("tab"))
            self._project.enter(message.get("file"), message.get("directory"), self._repl.variables)
        except Exception as error:
            self._fail(nonce, str(error), str(error))
            return
        # In a separate task, because a snippet may cancel the task that it runs in.
        task = asyncio.ensure_future(self._outcome(message))
        await asyncio.wait({task})
        outcome = {"exitCode": 1, "error": "CancelledError"} if task.cancelled() else task.result()
        # Output of other tasks at this moment belongs to this run.
        await asyncio.sleep(0)
        self._finish(nonce, outcome)

    async def _outcome(self, request):
        self._handles.begin_run()
        try:
            value = await self._repl.evaluate(request["code"], request.get("file"), request.get("line", 0))
            self._handles.begin_result()
            shown = await call(lambda: result_text(value, request["resultLimit"]))
        except SystemExit as error:
            _exit(error)
        except BaseException as error:  # noqa: BLE001: whatever a snippet raises is its outcome
            report, message = describe(error)
            print(report, file=sys.__stderr__)
            return {"exitCode": 1, "error": message}
        finally:
            self._project.leave()
        if shown is None:
            return {"exitCode": 0}
        result = {"exitCode": 0, "result": shown[0]}
        if type(value) in (list, tuple):
            result["rows"] = len(value)
        return result if shown[1] is None else {**result, "size": shown[1]}

    def _fail_current(self):
        """Fails the current run, because its browser has closed."""
        if self._nonce is not None:
            asyncio.get_running_loop().call_later(_CLOSED_GRACE, self._fail, self._nonce, CLOSED, CLOSED)

    def _fail(self, nonce, report, message):
        if nonce == self._nonce:
            print(report, file=sys.__stderr__)
            self._finish(nonce, {"exitCode": 1, "error": message})

    def _finish(self, nonce, outcome):
        if nonce == self._nonce:
            self._nonce = None
            end_script()
            self._send({"type": "result", "nonce": nonce, **outcome})

    def _send(self, message):
        # A forked process must not send messages.
        if os.getpid() != self._process:
            os._exit(0)
        write_all(self._messages, json.dumps(message).encode() + b"\n")


async def _lines(loop, descriptor):
    """Yields every line. Ends the process where there are no more."""
    reader = asyncio.StreamReader(limit=sys.maxsize)
    file = os.fdopen(descriptor, "rb")
    if sys.platform != "win32":
        await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), file)
    else:
        # The event loop of Windows can't read such pipes.
        def read():
            for line in file:
                loop.call_soon_threadsafe(reader.feed_data, line)
            os._exit(0)

        threading.Thread(target=read, daemon=True).start()
    while line := await reader.readline():
        yield line
    os._exit(0)


def _limit_memory():
    try:
        import resource

        _, hard = resource.getrlimit(resource.RLIMIT_DATA)
        if hard == resource.RLIM_INFINITY or _MEMORY_LIMIT < hard:
            resource.setrlimit(resource.RLIMIT_DATA, (_MEMORY_LIMIT, hard))
    except (ImportError, OSError, ValueError):
        pass


def _report_stray(_loop, context):
    """Reports an unhandled exception in a task or callback that a snippet left behind."""
    error, text = context.get("exception"), str(context.get("message"))
    if error:
        # Messages about callbacks have names that only the runner knows, such as a snippet's.
        text = (f"{text}\n" if text.endswith("was never retrieved") else "") + describe(error)[0]
    print(text, file=sys.__stderr__)


def _exit(error):
    """Exits as Python does on SystemExit."""
    code = error.code
    if code is not None and not isinstance(code, int):
        print(code, file=sys.__stderr__)
    try:
        atexit._run_exitfuncs()
    finally:
        os._exit(0 if code is None else code & 0xFF if isinstance(code, int) else 1)
