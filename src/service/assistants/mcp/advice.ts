import { MissingAnswer } from '../../../answers/answers.ts';
import { shorten } from '../../../contract/shorten.ts';
import { NoAnswer } from '../../browsers/chrome/cdp-client.ts';
import { PageProblem } from '../../browsers/page/driver/driver.ts';
import { messageOf, ServiceError } from '../../platform/errors.ts';

/**
 * Returns what an agent is told when a call fails: in `message` what happened, and what to call next, in the service's own words, and
 * in `said` what a page, a browser or another program says about it: nobody knows who wrote that. Only errors that the service words
 * itself become its message.
 */
export function adviceFor(error: unknown): { message: string; said?: string | undefined } {
  if (error instanceof PageProblem) return { message: sentence(error.message), said: error.said };
  if (error instanceof MissingAnswer) return { message: sentence(error.message) };
  if (error instanceof NoAnswer) return { message: hangs };
  if (!(error instanceof ServiceError)) return { message: failed, said: short(messageOf(error)) };
  const next = nextStep(error);
  // Its message repeats that of another error.
  const isQuoted = error.cause !== undefined || error.status === 500;
  const message = isQuoted ? failed : sentence(error.message);
  return { message: next ? `${message} ${next}` : message, ...(isQuoted && { said: short(error.message) }) };
}

const failed = 'The call failed.';
const hangs =
  'The page does not respond: a script in it may never end. Next: session_close, then page_navigate opens another session.';

const short = (message: string, most = 500) => shorten(message.split('\n')[0] ?? '', most);

function sentence(message: string): string {
  // With an example of arguments, it is long.
  const line = short(message, 2000);
  return /[.!?}]$/.test(line) ? line : `${line}.`;
}

function nextStep({ status, message }: ServiceError): string | undefined {
  const aboutSession = /session/i.test(message);
  if (status === 404 && aboutSession) return 'Next: session_list shows the open ones.';
  if (status === 410 && aboutSession) return 'Next: omit "session" to open a new one, or call session_list.';
  if (status === 404 && /job/i.test(message)) return 'Next: check the ID; jobs are kept for a day.';
  if (status === 429 && aboutSession) return 'Next: session_list, then session_close one that is no longer needed.';
  if (status === 402) return 'The credits of this month are used up: tell the user.';
  return undefined;
}
