"""Errors as people read them: with the frames of the snippet alone."""

import re
import traceback

from webdata_runner.values import cut

_MESSAGE_LIMIT = 64 * 1024
_SCRIPT = re.compile(r'File "<?snippet-(\d+)\.py>?"')

_current = 0


def script_name(run):
    """Name of the script of the run that begins: shown as `snippet.py`, and later as `earlier snippet`."""
    global _current
    _current = run
    return f"snippet-{run}.py"


def end_script():
    """From now on, what is told of a snippet is told of an earlier one."""
    global _current
    _current = 0


def describe(error):
    """What is told of an exception: a report for standard error, and a message with the place in the snippet."""
    try:
        described = traceback.TracebackException.from_exception(error, compact=True)
        _keep_own_frames(described, set())
        report = _tidy("".join(described.format()))
        head = _tidy("".join(described.format_exception_only()))
        if isinstance(error, SyntaxError) and described.lineno is not None and _is_own(described.filename or ""):
            head, place = f"{type(error).__name__}: {error.msg}", (described.filename, described.lineno)
        else:
            place = next(
                ((frame.filename, frame.lineno) for frame in reversed(described.stack or ()) if _is_current(frame)),
                None,
            )
    except BaseException:  # noqa: BLE001: an exception's own methods may raise anything
        name = type(error).__name__
        return name, name
    message = cut(head.rstrip(), _MESSAGE_LIMIT)[0]
    if place:
        message += _tidy(f'\n  File "{place[0]}", line {place[1]}')
    return report.rstrip(), message


def _keep_own_frames(described, seen):
    if described is None or id(described) in seen:
        return
    seen.add(id(described))
    own = [frame for frame in described.stack or () if _is_own(frame.filename)]
    described.stack = traceback.StackSummary.from_list(own) if own else None
    for other in (described.__cause__, described.__context__, *(getattr(described, "exceptions", None) or ())):
        _keep_own_frames(other, seen)


def _is_own(filename):
    return re.fullmatch(r"snippet-\d+\.py", filename) is not None


def _is_current(frame):
    return frame.filename == f"snippet-{_current}.py"


def _tidy(text):
    text = text.replace("playwright._impl._errors.", "")
    return _SCRIPT.sub(
        lambda match: 'File "snippet.py"' if int(match[1]) == _current else 'File "earlier snippet"', text
    )
