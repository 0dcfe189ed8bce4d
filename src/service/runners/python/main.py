"""Runs the Python snippets of one session.

It is told what to do over file descriptor 3, answers over 4, and ends with all its group when 5 does.
"""

import os

from webdata_runner.lifeline import hold_lifeline, keep_from_forks

COMMANDS, ANSWERS, LIFELINE = 3, 4, 5

if __name__ == "__main__":
    # Before anything else: what is forked here is small, and has no threads.
    hold_lifeline(LIFELINE, (0, 1, 2, COMMANDS, ANSWERS))
    for descriptor in (COMMANDS, ANSWERS):
        os.set_inheritable(descriptor, False)
    keep_from_forks((COMMANDS, ANSWERS))

    from webdata_runner.program import run_program

    run_program(COMMANDS, ANSWERS)
