import { MissingAnswer } from '../../../answers/answers.ts';
import { dataBlock } from '../../../answers/data-block.ts';
import { failureKind, failureStatus, retryAfterMs } from '../../connection/failures.ts';
import { remedyOf } from '../../connection/remedies/remedies.ts';
import { UserError } from '../../ui/commands.ts';
import { label, messageOf } from '../../ui/text/text.ts';
import { ToolProblem } from './tool.ts';

/** Maximum number of characters of what a server says about a failure. */
const maxLength = 1000;

/**
 * Returns what a language model is told when a call fails: what happened, and what to do next. What a server says may quote a
 * page, so it is marked as untrusted.
 */
export function problemOf(error: unknown): string {
  const remedy = remedyOf(error);
  const next = remedy
    ? `the user can choose "${remedy.title}" in the Run Results or Browser Sessions view`
    : nextOf(error);
  const message = remedy?.message ?? ownMessage(error);
  const status = failureStatus(error);
  const what = message ?? `The call failed${status === undefined ? '' : ` (HTTP ${status})`}.`;
  const said = message === undefined ? dataBlock('untrusted problem', label(messageOf(error), maxLength)) : undefined;
  return [what, said, next && `Next: ${next}.`].filter(Boolean).join('\n');
}

/** Returns the message of an error that the extension words itself. */
function ownMessage(error: unknown): string | undefined {
  const kind = failureKind(error);
  const isOwn =
    error instanceof ToolProblem ||
    error instanceof UserError ||
    error instanceof MissingAnswer ||
    (kind !== undefined && kind !== 'api' && kind !== 'unexpected-response');
  return isOwn ? messageOf(error, maxLength) : undefined;
}

function nextOf(error: unknown): string | undefined {
  const [action] = error instanceof UserError ? error.actions : [];
  if (action) return `ask the user to run the command "Web Data: ${action.title}"`;
  const kind = failureKind(error);
  if (kind === 'connection') {
    return 'ask the user to check the server in the status bar (Web Data), or to run the command "Web Data: Connect to Server…"';
  }
  if (kind === 'timeout') return 'try again, or use another page';
  switch (failureStatus(error)) {
    case 401:
      return 'ask the user to run the command "Web Data: Connect to Server…" and to enter a valid API key';
    case 402:
      return 'tell the user that no credits are left';
    case 403:
      return 'use another URL';
    case 404:
      return 'check the ID; jobs are kept for a day';
    case 408:
      return 'try again, or use another page';
    case 410:
      return 'call the tool again: it opens a new session';
    case 429: {
      const seconds = Math.ceil((retryAfterMs(error) ?? 0) / 1000);
      return seconds > 0
        ? `wait ${seconds} s and call the tool again`
        : 'ask the user to end a session in the Browser Sessions view, or try again later';
    }
    default:
      return undefined;
  }
}
