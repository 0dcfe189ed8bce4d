import * as vscode from 'vscode';
import type { Disposable } from '../lifecycle.ts';

/** Rows whose children or texts changed; undefined for all of the tree. */
export type Changed<Row> = Row | Row[] | undefined;

/**
 * Reports changes of a tree's rows. VS Code drops a change that it is told of before it has taken in the children that it
 * asked for, and shows those from then on. So changes are reported when it has.
 */
export class RowChanges implements Disposable {
  #changed = new vscode.EventEmitter<Changed<unknown>>();
  #asked = 0;
  #answered = 0;
  #waiting = false;
  #held = new Set<unknown>();
  readonly event = this.#changed.event;

  fire(rows: Changed<unknown>): void {
    // A change of the whole tree is never dropped.
    if (rows === undefined) return this.#changed.fire(undefined);
    for (const row of [rows].flat()) this.#held.add(row);
    void this.#report();
  }

  /** Returns children that VS Code asks for. */
  async children<Rows>(children: () => Promise<Rows>): Promise<Rows> {
    this.#asked++;
    try {
      return await children();
    } finally {
      // When the timer ends, they were sent, or the next ones are being asked for.
      setTimeout(() => {
        this.#asked--;
        this.#answered++;
        void this.#report();
      });
    }
  }

  dispose(): void {
    this.#held.clear();
    this.#changed.dispose();
  }

  async #report(): Promise<void> {
    if (this.#asked > 0 || this.#waiting || this.#held.size === 0) return;
    this.#waiting = true;
    let answered: number;
    do {
      answered = this.#answered;
      // Any command will do: when VS Code answers it, it has taken in what was sent before.
      await vscode.commands.executeCommand('setContext', 'webdata.rowsTakenIn', true).then(undefined, () => undefined);
    } while (answered !== this.#answered);
    this.#waiting = false;
    if (this.#asked > 0) return;
    const rows = [...this.#held];
    this.#held.clear();
    if (rows.length > 0) this.#changed.fire(rows);
  }
}
