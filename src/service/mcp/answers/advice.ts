import { messageOf, ServiceError } from '../../errors.ts';

/** Returns what an agent is told when a call fails: what happened, and what to call next. */
export function adviceFor(error: unknown): string {
  const message = messageOf(error).split('\n')[0]?.slice(0, 2000) ?? '';
  const next = error instanceof ServiceError ? nextStep(error) : undefined;
  const sentence = /[.!?]$/.test(message) ? message : `${message}.`;
  return next ? `${sentence} ${next}` : sentence;
}

function nextStep({ status, message }: ServiceError): string | undefined {
  const aboutSession = /session/i.test(message);
  if (status === 404 && aboutSession) return 'Next: session_list shows the open ones.';
  if (status === 410) return 'Next: omit "session" to open a new one, or call session_list.';
  if (status === 404) return 'Next: check the ID; jobs are kept for a day.';
  if (status === 429 && aboutSession) return 'Next: session_list, then session_close one that is no longer needed.';
  if (status === 408) return 'Next: try again with a longer "timeout".';
  if (status === 402) return 'The credits of this month are used up: tell the user.';
  return undefined;
}
