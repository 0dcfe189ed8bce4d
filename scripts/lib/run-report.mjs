// @ts-check
import { appendFileSync, closeSync, openSync, readSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * What a program prints, in a file until it is shown: the reports of programs that run at the same time are shown one
 * after another.
 * @typedef {ReturnType<typeof makeReport>} Report
 *
 * @param {string} file
 */
export function makeReport(file) {
  let ended = false;
  appendFileSync(file, '');
  return {
    file,
    /** @param {string} line */
    print: (line) => appendFileSync(file, `${line}\n`),
    /** Says that nothing follows. */
    end: () => {
      ended = true;
    },
    /**
     * Shows the report from its start, and what is added to it until its end.
     * @param {(text: Buffer) => unknown} show
     */
    async follow(show) {
      const input = openSync(file, 'r');
      try {
        for (let isLast = false; !isLast; ) {
          isLast = ended;
          const buffer = Buffer.alloc(65_536);
          for (let read = -1; read !== 0; ) {
            read = readSync(input, buffer);
            if (read > 0) show(Buffer.from(buffer.subarray(0, read)));
          }
          if (!isLast) await sleep(100);
        }
      } finally {
        closeSync(input);
      }
    },
  };
}
