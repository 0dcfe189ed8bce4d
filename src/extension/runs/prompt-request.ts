import type { RunRequest } from './runs.ts';

/** Returns the run request for a prompt. `timeout` limits the whole agent run, in seconds. */
export function promptRequest(text: string, timeout: number): RunRequest {
  const start = { line: 0, character: 0 };
  return {
    snippet: { text, start, lastLine: 0, title: `“${text.replaceAll(/\s+/g, ' ').trim()}”` },
    languageId: 'plaintext',
    language: 'node',
    timeout,
    isPrompt: true,
  };
}
