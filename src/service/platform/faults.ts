import { AsyncLocalStorage } from 'node:async_hooks';

/** Faults within `windowMs` after which what has them is no longer to be trusted. */
const maxFaults = 20;
const windowMs = 60_000;

/** Returns what counts a fault, and returns how many there were within a minute. Calls `onRepeated` when there are too many. */
export function countFaults(onRepeated: (faults: number) => void): () => number {
  let faults = 0;
  return () => {
    faults++;
    setTimeout(() => faults--, windowMs).unref();
    if (faults === maxFaults) onRepeated(faults);
    return faults;
  };
}

/** An error that messages of a browser caused. It counts against that browser, not against the service. */
export class BrowserFault extends Error {
  override name = 'BrowserFault';
}

const blamed = new AsyncLocalStorage<string | undefined>();

/** Runs code of others. Errors of what it starts, now or later, count against whoever it is for; undefined: the service. */
export const blame = <Result>(whom: string | undefined, work: () => Result): Result => blamed.run(whom, work);

/** Returns whom an error counts against that nothing has caught; undefined: the service. */
export const culprit = (): string | undefined => blamed.getStore();
