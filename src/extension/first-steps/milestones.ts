/** Things that a user has done once. Each ticks off a step of the walkthrough. */
export const milestones = [
  'ranSnippet',
  'watchedSession',
  'crawledSite',
  'askedDocs',
  'sharedBrowser',
  'connectedServer',
] as const;
export type Milestone = (typeof milestones)[number];

const stateKey = 'webdata.milestones';

export interface MilestoneOptions {
  state: { get(key: string): unknown; update(key: string, value: unknown): unknown };
  /** Ticks off the step of a milestone, if VS Code has loaded the walkthrough. */
  tick(milestone: Milestone): void;
  /** Called at the start and when it changes. */
  onRanSnippet(ran: boolean): void;
}

/** The milestones of this user, kept over all windows. */
export class Milestones {
  #options: MilestoneOptions;
  #reached: Set<string>;

  constructor(options: MilestoneOptions) {
    this.#options = options;
    const stored = options.state.get(stateKey);
    this.#reached = new Set(Array.isArray(stored) ? stored : []);
    options.onRanSnippet(this.#reached.has('ranSnippet'));
  }

  /** Whether something has happened before. */
  has(milestone: Milestone): boolean {
    return this.#reached.has(milestone);
  }

  /** Records that something has happened. */
  reach(milestone: Milestone): void {
    const { state, tick, onRanSnippet } = this.#options;
    tick(milestone);
    if (this.#reached.has(milestone)) return;
    this.#reached.add(milestone);
    if (milestone === 'ranSnippet') onRanSnippet(true);
    void state.update(stateKey, [...this.#reached]);
  }

  /** Ticks off the steps of all milestones again. */
  tickAll(): void {
    for (const milestone of milestones) if (this.#reached.has(milestone)) this.#options.tick(milestone);
  }
}
