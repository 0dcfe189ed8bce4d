"""Runs the Python snippets of one session.

It reads commands from file descriptor 3, writes messages to 4, and is killed with its process group when 5 closes.
"""

import os
import sys

from webdata_runner.lifeline import close_in_forks, watch_lifeline

COMMANDS, MESSAGES, LIFELINE = 3, 4, 5

if __name__ == "__main__":
    # Packages that the interpreter lacks.
    sys.path.extend(sys.argv[1:])
    # First, because a process forked now is small and has no threads.
    watch_lifeline(LIFELINE, (0, 1, 2, COMMANDS, MESSAGES))
    for descriptor in (COMMANDS, MESSAGES):
        os.set_inheritable(descriptor, False)
    close_in_forks((COMMANDS, MESSAGES))

    from webdata_runner.program import run_program

    run_program(COMMANDS, MESSAGES)
