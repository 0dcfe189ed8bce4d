import { randomUUID } from 'node:crypto';
import * as l10n from '@vscode/l10n';
import type { Connection } from '../../connection/connection.ts';
import { messageOf } from '../../ui/text/text.ts';
import { askDocs, type DocsConnection } from '../ask-docs.ts';
import { type BundledDocs, describeEvidence } from '../evidence/evidence.ts';
import { followUps } from '../evidence/follow-ups.ts';
import { ChatStore, type Turn } from './chat-store.ts';
import { failureOf } from './failures.ts';

/** The parts of a connection that the chat needs. */
export type ChatConnection = DocsConnection & Pick<Connection, 'target' | 'activity' | 'onActivityChanged'>;

interface Parts {
  connection: ChatConnection;
  docs: BundledDocs;
  isTrusted(): boolean;
  log: { warn(text: string): void };
  now?: () => number;
}

/** Asks one question at a time and stores the answers. */
export class DocsChat {
  readonly store = new ChatStore();
  #parts: Parts;
  #running: { id: string; abort: AbortController } | undefined;
  #listening: { dispose(): unknown };

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#listening = parts.connection.onActivityChanged.on(() => this.#showPhase());
  }

  /** Asks a question. Does nothing if it is empty or another question is pending. Never rejects. */
  async ask(question: string): Promise<void> {
    const text = question.trim();
    if (text === '' || this.#running) return;
    const { now = Date.now, connection } = this.#parts;
    const id = randomUUID();
    const embedded = connection.target.kind === 'embedded';
    this.store.add({
      id,
      question: text,
      askedAt: now(),
      state: 'asking',
      phase: connection.activity,
      evidence: [],
      followUps: [],
      embedded,
    });
    await this.#answer(id, text);
  }

  /** Asks a question again. */
  async again(id: string): Promise<void> {
    const turn = this.store.find(id);
    if (!turn || this.#running || turn.state === 'asking') return;
    this.store.change(id, { state: 'asking', failure: undefined, answer: undefined, evidence: [], followUps: [] });
    await this.#answer(id, turn.question);
  }

  /** Cancels the pending question. */
  stop(): void {
    this.#running?.abort.abort(new Error(l10n.t('Stopped.')));
  }

  /** Removes all questions. */
  clear(): void {
    this.stop();
    this.store.clear();
  }

  dispose(): void {
    this.stop();
    this.#listening.dispose();
  }

  async #answer(id: string, question: string): Promise<void> {
    const { connection, docs, isTrusted, log } = this.#parts;
    const abort = new AbortController();
    this.#running = { id, abort };
    try {
      const reply = await askDocs(connection, question, abort.signal);
      const evidence = await Promise.all(reply.evidence.map((one) => describeEvidence(one, reply.embedded, docs)));
      const asked = this.store.turns.map((turn) => turn.question);
      this.#end(id, {
        state: reply.answered ? 'answered' : 'unanswered',
        answer: reply.text,
        evidence,
        followUps: await followUps(evidence, asked, docs),
        embedded: reply.embedded,
        server: reply.server,
        durationMs: reply.durationMs,
        tokens: reply.tokens,
      });
    } catch (error) {
      if (abort.signal.aborted) return this.#end(id, { state: 'stopped' });
      log.warn(`Docs: ${messageOf(error)}`);
      this.#end(id, { state: 'failed', failure: failureOf(error, connection, isTrusted()) });
    }
  }

  #end(id: string, changes: Partial<Omit<Turn, 'id'>>): void {
    // Cleared first, since a listener of the change may ask the next question.
    if (this.#running?.id === id) this.#running = undefined;
    this.store.change(id, { phase: undefined, ...changes });
  }

  #showPhase(): void {
    if (this.#running) this.store.change(this.#running.id, { phase: this.#parts.connection.activity });
  }
}
