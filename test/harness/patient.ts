import { patience } from './eventually.ts';

/** Lets a page or context of Playwright wait as long as `eventually` does. */
export function patient<Waiting extends { setDefaultTimeout(ms: number): void }>(waiting: Waiting): Waiting {
  waiting.setDefaultTimeout(patience);
  return waiting;
}
