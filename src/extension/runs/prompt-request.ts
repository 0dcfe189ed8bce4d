import type { RunRequest } from './runs.ts';

/** A task in words, as a run. `timeout` is in seconds and bounds the agent as a whole. */
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
