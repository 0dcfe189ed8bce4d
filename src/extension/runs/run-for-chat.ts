import * as l10n from '@vscode/l10n';
import { languageIds } from '../ui/ids.ts';
import { label } from '../ui/text/text.ts';
import { wholeFile } from './editor/snippet.ts';
import type { Run } from './run-store.ts';
import type { RunRequest, Runs } from './runs.ts';

/** Code of a chat, for the session that the window uses. */
export interface ChatCode {
  text: string;
  language: RunRequest['language'];
  /** Seconds. */
  timeout: number;
  /** Its name in Run Results; its first line by default. */
  title?: string;
}

/**
 * Runs code of VS Code's chat like the user's own code.
 * @throws the signal's reason, as soon as it aborts: the run is stopped
 */
export async function runForChat(
  runs: Runs,
  { text, language, timeout, title }: ChatCode,
  signal: AbortSignal,
  onStart: () => void,
): Promise<Run & { failure?: unknown }> {
  signal.throwIfAborted();
  const first = text.split('\n').find((line) => line.trim() !== '') ?? '';
  const name = `${l10n.t('Chat')}: ${title ?? label(first, 60)}`;
  const request = { snippet: wholeFile({ name, text }), languageId: languageIds[language], language, timeout };
  let runId: string | undefined;
  const onAbort = () => runId !== undefined && runs.stop(runId);
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    const { run, failure } = await runs.run(request, (id) => {
      runId = id;
      onStart();
    });
    signal.throwIfAborted();
    return { ...run, failure };
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}
