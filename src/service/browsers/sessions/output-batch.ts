import type { Clock } from '../../platform/clock.ts';
import type { OutputStream } from '../runners/runner.ts';

/** Milliseconds between two messages with the output of a run. */
const intervalMs = 30;

/** Joins the output of a run, so that thousands of small writes become few messages. */
export function createOutputBatch(clock: Clock, send: (stream: OutputStream, text: string) => void) {
  let waiting: { stream: OutputStream; texts: string[] }[] = [];
  let cancelTimer: (() => void) | undefined;

  function sendWaiting(): void {
    const batch = waiting;
    waiting = [];
    for (const { stream, texts } of batch) send(stream, texts.join(''));
  }

  function tick(): void {
    cancelTimer = undefined;
    if (waiting.length === 0) return;
    sendWaiting();
    cancelTimer = clock.after(intervalMs, tick);
  }

  return {
    /** Sends the first text at once, and later texts together. */
    push(stream: OutputStream, text: string): void {
      const last = waiting.at(-1);
      if (last?.stream === stream) last.texts.push(text);
      else waiting.push({ stream, texts: [text] });
      if (cancelTimer) return;
      sendWaiting();
      cancelTimer = clock.after(intervalMs, tick);
    },
    /** Sends everything that is waiting. */
    flush(): void {
      cancelTimer?.();
      cancelTimer = undefined;
      sendWaiting();
    },
  };
}
