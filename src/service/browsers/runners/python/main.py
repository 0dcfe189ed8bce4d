"""Runs the Python snippets of one session. It reads commands from file descriptor 3 and writes messages to 4."""

import os
import sys

COMMANDS, MESSAGES = 3, 4


def _close_in_forks(descriptors):
    """Redirects descriptors to the null device in processes that a snippet forks, so that they can't read commands."""
    empty = os.open(os.devnull, os.O_RDWR)
    for descriptor in descriptors:
        os.dup2(empty, descriptor, inheritable=False)
    os.close(empty)


if __name__ == "__main__":
    # Packages that the interpreter lacks.
    sys.path.extend(sys.argv[1:])
    for descriptor in (COMMANDS, MESSAGES):
        os.set_inheritable(descriptor, False)
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=lambda: _close_in_forks((COMMANDS, MESSAGES)))

    from webdata_runner.program import run_program

    run_program(COMMANDS, MESSAGES)
