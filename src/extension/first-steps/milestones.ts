import type { contextKeys } from '../ui/ids.ts';

/** Things that a user has done once. Each ticks off a step of the walkthrough. */
const milestones = [
  'ranSnippet',
  'watchedSession',
  'crawledSite',
  'askedDocs',
  'connectedServer',
] as const satisfies readonly (keyof typeof contextKeys)[];
export type Milestone = (typeof milestones)[number];

const stateKey = 'webdata.milestones';

/** The milestones of this user, kept over all windows. */
export class Milestones {
  #state: MilestoneState;
  #setKey: (name: Milestone, value: boolean) => void;
  #reached: Set<string>;

  /** @param setKey sets a context key */
  constructor(state: MilestoneState, setKey: (name: Milestone, value: boolean) => void) {
    this.#state = state;
    this.#setKey = setKey;
    const stored = state.get(stateKey);
    this.#reached = new Set(Array.isArray(stored) ? stored : []);
    for (const milestone of milestones) setKey(milestone, this.#reached.has(milestone));
  }

  /** Records that something has happened. */
  reach(milestone: Milestone): void {
    if (this.#reached.has(milestone)) return;
    this.#reached.add(milestone);
    this.#setKey(milestone, true);
    void this.#state.update(stateKey, [...this.#reached]);
  }
}

interface MilestoneState {
  get(key: string): unknown;
  update(key: string, value: unknown): unknown;
}
