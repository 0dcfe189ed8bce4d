"""Formats errors with only the frames of the snippet."""

import re
import traceback

from webdata_runner.values import cut

_MESSAGE_LIMIT = 64 * 1024
_SCRIPT = re.compile(r'File "<?snippet-(\d+)\.py>?"')

_current = 0


def script_name(run):
    """Returns the script name of the run that starts: shown as `snippet.py`, and later as `earlier snippet`."""
    global _current
    _current = run
    return f"snippet-{run}.py"


def end_script():
    """Ends the current run: from now on, its script is shown as `earlier snippet`."""
    global _current
    _current = 0


def describe(error):
    """Returns an exception as text: a report for stderr, and a message with the position in the snippet."""
    try:
        described = traceback.TracebackException.from_exception(error, compact=True)
        _keep_own_frames(described, set())
        report = _tidy("".join(described.format()))
        head = _tidy("".join(described.format_exception_only()))
        if isinstance(error, SyntaxError) and described.lineno is not None and _is_own(described.filename or ""):
            head, position = f"{type(error).__name__}: {error.msg}", (described.filename, described.lineno)
        else:
            position = next(
                ((frame.filename, frame.lineno) for frame in reversed(described.stack or ()) if _is_current(frame)),
                None,
            )
    except BaseException:  # noqa: BLE001: an exception's own methods may raise anything
        name = type(error).__name__
        return name, name
    message = cut(head.rstrip(), _MESSAGE_LIMIT)[0]
    if position:
        message += _tidy(f'\n  File "{position[0]}", line {position[1]}')
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
