import type { Rating, TurnState } from '../../../webviews/docs/messages.ts';
import { Signal } from '../../ui/lifecycle.ts';
import type { Evidence } from '../evidence/evidence.ts';
import type { Failure } from './failures.ts';

/** A question with what came of it. */
export interface Turn {
  readonly id: string;
  readonly question: string;
  /** Milliseconds since 1970. */
  readonly askedAt: number;
  readonly state: TurnState;
  /** What it waits for. */
  readonly phase?: string | undefined;
  /** Markdown. */
  readonly answer?: string | undefined;
  readonly evidence: readonly Evidence[];
  /** Whether the embedded service answered. */
  readonly embedded: boolean;
  readonly server?: string | undefined;
  readonly durationMs?: number | undefined;
  readonly tokens?: number | undefined;
  readonly followUps: readonly string[];
  readonly failure?: Failure | undefined;
  /** Kept on this machine alone. */
  readonly rating?: Rating | undefined;
}

export type DocsChange = { kind: 'all' } | { kind: 'turn'; turn: Turn };

export const mostTurns = 50;

/** The questions of this workspace and their answers, oldest first. */
export class DocsStore {
  readonly onChange = new Signal<DocsChange>();
  #turns: Turn[] = [];

  get turns(): readonly Turn[] {
    return this.#turns;
  }

  find(id: string): Turn | undefined {
    return this.#turns.find((turn) => turn.id === id);
  }

  /** Adds a question; the oldest goes where there are too many. */
  add(turn: Turn): void {
    this.#turns.push(turn);
    if (this.#turns.length > mostTurns) {
      this.#turns = this.#turns.slice(-mostTurns);
      this.onChange.fire({ kind: 'all' });
    } else this.onChange.fire({ kind: 'turn', turn });
  }

  /** Changes a question that is still there. */
  change(id: string, changes: Partial<Omit<Turn, 'id'>>): void {
    const at = this.#turns.findIndex((turn) => turn.id === id);
    const before = this.#turns[at];
    if (!before) return;
    const turn = { ...before, ...changes };
    this.#turns[at] = turn;
    this.onChange.fire({ kind: 'turn', turn });
  }

  restore(turns: readonly Turn[]): void {
    this.#turns = turns.slice(-mostTurns);
    this.onChange.fire({ kind: 'all' });
  }

  clear(): void {
    this.restore([]);
  }
}
