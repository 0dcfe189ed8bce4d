import type { ShownTurn } from '../../../webviews/docs/messages.ts';
import { Signal } from '../../ui/lifecycle.ts';
import type { DocsReply } from '../ask-docs.ts';
import type { Evidence } from '../evidence/evidence.ts';

/** A question and its outcome. */
export interface Turn
  extends Readonly<Omit<ShownTurn, 'evidence' | 'addsSources' | 'followUps' | 'foot'>>,
    Readonly<Partial<Pick<DocsReply, 'server' | 'durationMs' | 'tokens'>>> {
  /** Milliseconds since 1970. */
  readonly askedAt: number;
  readonly evidence: readonly Evidence[];
  /** Whether the embedded service answered. */
  readonly embedded: boolean;
  readonly followUps: readonly string[];
}

export type ChatChange = { kind: 'all' } | { kind: 'turn'; turn: Turn };

export const maxTurns = 50;

/** The questions of this workspace and their answers, oldest first. */
export class ChatStore {
  readonly onChange = new Signal<ChatChange>();
  #turns: Turn[] = [];

  get turns(): readonly Turn[] {
    return this.#turns;
  }

  find(id: string): Turn | undefined {
    return this.#turns.find((turn) => turn.id === id);
  }

  /** Adds a question, and removes the oldest if there are too many. */
  add(turn: Turn): void {
    this.#turns.push(turn);
    if (this.#turns.length > maxTurns) {
      this.#turns = this.#turns.slice(-maxTurns);
      this.onChange.fire({ kind: 'all' });
    } else this.onChange.fire({ kind: 'turn', turn });
  }

  /** Changes a question, if it still exists. */
  change(id: string, changes: Partial<Omit<Turn, 'id'>>): void {
    const at = this.#turns.findIndex((turn) => turn.id === id);
    const before = this.#turns[at];
    if (!before) return;
    const turn = { ...before, ...changes };
    this.#turns[at] = turn;
    this.onChange.fire({ kind: 'turn', turn });
  }

  restore(turns: readonly Turn[]): void {
    this.#turns = turns.slice(-maxTurns);
    this.onChange.fire({ kind: 'all' });
  }

  clear(): void {
    this.restore([]);
  }
}
