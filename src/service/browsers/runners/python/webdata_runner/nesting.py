"""Lets snippets wait for coroutines without `await`: `asyncio.run` and the like work in the running event loop.

Snippets run in greenlets, which Playwright needs too. Their call stack begins there, as that of a script does.
"""

import asyncio
import contextvars
import functools
import inspect
import os
import types

from greenlet import getcurrent, greenlet

_OWN = (os.path.dirname(__file__) + os.sep, os.path.join("playwright", "_impl", ""))
"""In the paths of the runner's and of Playwright's own code."""


@types.coroutine
def call(function):
    """Calls a function in a greenlet when it is awaited. Returns its value, and that of a coroutine."""
    value, error = yield from _in_greenlet(function)
    if error is not None:
        raise error
    while inspect.iscoroutine(value):
        value = yield from _finish(value)
    return value


def _finish(coroutine):
    """Runs a coroutine to its end, each step in a greenlet of its own."""
    step, argument = coroutine.send, None
    while True:
        future, error = yield from _in_greenlet(step, argument)
        if isinstance(error, StopIteration):
            return error.value
        if error is not None:
            raise error
        try:
            step, argument = coroutine.send, (yield future)
        except BaseException as raised:  # noqa: BLE001: the coroutine handles it
            step, argument = coroutine.throw, raised


def _in_greenlet(function, *arguments):
    """Calls a function in a greenlet. Yields the futures that it waits for; returns its value and its error."""
    inner = greenlet(function)
    inner.gr_context = getcurrent().gr_context
    try:
        result = inner.switch(*arguments)
        while not inner.dead:
            try:
                value = yield result
            except BaseException as error:  # noqa: BLE001: the function handles it
                result = inner.throw(error)
            else:
                result = inner.switch(value)
    except BaseException as error:  # noqa: BLE001: the caller handles it
        return None, error
    return result, None


def can_wait(loop):
    """Whether what runs now can wait for a coroutine without `await`: a snippet, but not a task that it has created."""
    return getcurrent().parent is not None and asyncio._get_running_loop() is loop


def install():
    """Makes the functions that start an event loop use the running one."""
    loop = asyncio.get_running_loop()
    plain_tasks = asyncio.all_tasks
    stopped = []

    def run_until_complete(future, context=None):
        context = contextvars.copy_context() if context is None else context
        parent = getcurrent().parent
        if not can_wait(loop):
            raise RuntimeError("This event loop is already running")
        coroutine = future if inspect.iscoroutine(future) else asyncio.ensure_future(future).__await__()
        step, argument = coroutine.send, None
        while True:
            try:
                waiting = context.run(step, argument)
            except StopIteration as stop:
                return stop.value
            try:
                step, argument = coroutine.send, parent.switch(waiting)
            except BaseException as error:  # noqa: BLE001: the coroutine handles it
                step, argument = coroutine.throw, error

    def all_tasks(other=None):
        # Playwright's and the runner's own tasks go on, whatever a snippet does with its own.
        tasks = plain_tasks(other)
        return {task for task in tasks if task is asyncio.current_task() or not _is_own(task)}

    def run(main, **_options):
        before = all_tasks()
        try:
            return run_coroutine(main)
        finally:
            cancel_since(before)

    def run_coroutine(main, context=None):
        if not inspect.iscoroutine(main):
            raise ValueError(f"a coroutine was expected, got {main!r}")
        return run_until_complete(main, context)

    def cancel_since(before):
        left = all_tasks() - before - {asyncio.current_task()}
        for task in left:
            task.cancel()
        if left:
            run_until_complete(asyncio.wait(left))

    def run_in(runner, main, *, context=None):
        vars(runner).setdefault("tasks_before", all_tasks())
        own = vars(runner).setdefault("own_context", contextvars.copy_context())
        return run_coroutine(main, own if context is None else context)

    def close(runner):
        cancel_since(vars(runner).pop("tasks_before", all_tasks()))

    def run_forever():
        stopped.append(loop.create_future())
        run_until_complete(stopped[-1])

    def stop():
        if stopped:
            stopped.pop().set_result(None)

    async def keep(*_arguments):
        pass

    _as_asyncio(run_coroutine, "run")
    loop.run_until_complete = _as_asyncio(run_until_complete, "run_until_complete")
    loop.run_forever = _as_asyncio(run_forever, "run_forever")
    loop.stop, loop.close = stop, lambda: None
    # The loop goes on after the snippet.
    loop.shutdown_asyncgens = loop.shutdown_default_executor = keep
    _replace(loop, asyncio, "run", run)
    _replace(loop, asyncio, "all_tasks", all_tasks)
    for owner in (asyncio, asyncio.events):
        _replace(loop, owner, "new_event_loop", lambda: loop)
    if hasattr(asyncio, "Runner"):
        _replace(loop, asyncio.Runner, "run", run_in)
        _replace(loop, asyncio.Runner, "get_loop", lambda _runner: loop)
        _replace(loop, asyncio.Runner, "close", close)


def _replace(loop, owner, name, function):
    """Replaces a function where a loop is running."""
    plain = getattr(owner, name)

    def chosen(*arguments, **options):
        return (function if asyncio._get_running_loop() is loop else plain)(*arguments, **options)

    _as_asyncio(function, name)
    setattr(owner, name, _as_asyncio(functools.wraps(plain)(chosen), name))


def _as_asyncio(function, name):
    """Shows a function in tracebacks as the one that it replaces, without the runner's file."""
    function.__code__ = function.__code__.replace(co_filename="<asyncio>", co_name=name)
    return function


def _is_own(task):
    code = getattr(task.get_coro(), "cr_code", None)
    return code is not None and any(part in code.co_filename for part in _OWN)
