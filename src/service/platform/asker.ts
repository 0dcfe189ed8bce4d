import { AsyncLocalStorage } from 'node:async_hooks';

/** For whom the service works: a team, and its request, job or session. */
export interface Asker {
  team: string;
  work: string;
}

const askers = new AsyncLocalStorage<Asker>();

/** Does work, and what it begins, for an asker: its look-ups and turns of the main thread are theirs. */
export const workingFor = <Result>(asker: Asker, work: () => Result): Result => askers.run(asker, work);

/** Returns for whom the service works here, if that is known. */
export const currentAsker = (): Asker | undefined => askers.getStore();
