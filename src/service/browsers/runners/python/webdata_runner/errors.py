"""Formats errors with only the frames of the snippet."""

import re
import sys
import traceback

from webdata_runner.project import is_project_file
from webdata_runner.values import cut

_MESSAGE_LIMIT = 64 * 1024
_MAX_FRAMES = 20
"""Maximum frames of modules in an error message."""
_POSITION = re.compile(r'File "([^"\n]+)"(, line (\d+))?')

_current = ("", 0, 0)
"""The script name of the current run, and the first and last line of its code."""


def script_name(run, file, line, count):
    """Returns the script name of the run that starts, whose code has `count` lines after `line`: its file, if it has one.

    Errors of a run state lines of its code, in `snippet.py`. Code without a file is later shown as `earlier snippet`.
    """
    global _current
    _current = (file or f"snippet-{run}.py", line + 1, line + count)
    return _current[0]


def end_script():
    """Ends the current run: its code is no longer shown as `snippet.py`."""
    global _current
    _current = ("", 0, 0)


def describe(error):
    """Returns an exception as text: a report for stderr, and a message with the position in the snippet."""
    try:
        described = traceback.TracebackException.from_exception(error, compact=True)
        _keep_own_frames(described, set())
        report = _tidy("".join(described.format()))
        head = _tidy("".join(described.format_exception_only()))
        positions = _positions(described.stack or ())
        if isinstance(error, SyntaxError) and described.lineno is not None and is_users(described.filename or ""):
            head = f"{type(error).__name__}: {error.msg}"
            positions.append(f'File "{described.filename}", line {described.lineno}')
        elif isinstance(error, ModuleNotFoundError) and error.name:
            advice = _install_advice(error.name)
            head, report = f"{head.rstrip()}. {advice}", f"{report.rstrip()}. {advice}"
    except BaseException:  # noqa: BLE001: an exception's own methods may raise anything
        name = type(error).__name__
        return name, name
    message = cut(head.rstrip(), _MESSAGE_LIMIT)[0]
    message += _tidy("".join(f"\n  {position}" for position in positions))
    return report.rstrip(), message


def _keep_own_frames(described, seen):
    if described is None or id(described) in seen:
        return
    seen.add(id(described))
    own = [frame for frame in described.stack or () if is_users(frame.filename)]
    described.stack = traceback.StackSummary.from_list(own) if own else None
    for other in (described.__cause__, described.__context__, *(getattr(described, "exceptions", None) or ())):
        _keep_own_frames(other, seen)


def _is_own(filename):
    return re.fullmatch(r"snippet-\d+\.py", filename) is not None


def is_users(filename):
    """Whether a file is a snippet or belongs to the project."""
    return _is_own(filename) or is_project_file(filename)


def _positions(stack):
    """Returns the position in the snippet and those in modules of the project that it called."""
    last = next((index for index in reversed(range(len(stack))) if _is_current(stack[index])), None)
    if last is None:
        return []
    frame, *called = stack[last:]
    modules = [other for other in called if is_project_file(other.filename)][-_MAX_FRAMES:]
    called = [f'File "{other.filename}", line {other.lineno}, in {other.name}' for other in modules]
    return [f'File "{frame.filename}", line {frame.lineno}', *called]


def _install_advice(module):
    package = module.partition(".")[0]
    return f'If it is a package, install it with "{sys.executable} -m pip install {package}"'


def _is_current(frame):
    name, first, last = _current
    return frame.filename == name and first <= frame.lineno <= last


def _tidy(text):
    return _POSITION.sub(_shown, text.replace("playwright._impl._errors.", ""))


def _shown(match):
    name, first, last = _current
    line = int(match[3] or first)
    if match[1] == name and first <= line <= last:
        return f'File "snippet.py", line {line - first + 1}' if match[2] else 'File "snippet.py"'
    return match[0].replace(match[1], "earlier snippet") if _is_own(match[1]) else match[0]
