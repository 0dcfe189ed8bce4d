import * as l10n from '@vscode/l10n';
import { keepNewest } from '../../ui/lifecycle.ts';
import { visibleText } from '../../ui/text/visible-text.ts';
import { askDocs, type DocsConnection, type DocsReply } from '../ask-docs.ts';
import { type BundledDocs, describeEvidence, type EvidenceTarget, evidenceTarget } from '../evidence/evidence.ts';
import { followUps } from '../evidence/follow-ups.ts';
import { chatMarkdown } from './chat-markdown.ts';

/** The sources of an answer in VS Code's chat. */
export interface ChatSources {
  /** The sources that a chat may open: bundled docs and web pages. */
  references: Extract<EvidenceTarget, { kind: 'bundled' | 'web' }>[];
  followUps: string[];
}

/** An answer for VS Code's chat. */
export interface ChatAnswer extends ChatSources {
  /** Without links, images or HTML. */
  markdown: string;
}

interface Parts {
  connection: DocsConnection;
  docs: BundledDocs;
}

/** Answers a question for VS Code's chat. Rejects like `askDocs`. */
export async function answerForChat(parts: Parts, question: string, signal: AbortSignal): Promise<ChatAnswer> {
  const reply = await askDocs(parts.connection, question, signal);
  return { markdown: chatMarkdown(reply.text), ...(await sourcesOf(reply, question, parts.docs)) };
}

/** Returns the sources of a reply, and what to ask next. */
export async function sourcesOf(reply: DocsReply, question: string, docs: BundledDocs): Promise<ChatSources> {
  const names = await docs.names();
  const targets = reply.evidence.map(({ pathOrUrl }) => evidenceTarget(pathOrUrl, reply.embedded, names));
  const evidence = await Promise.all(reply.evidence.map((one) => describeEvidence(one, reply.embedded, docs)));
  return {
    references: targets.filter((target) => target.kind === 'bundled' || target.kind === 'web'),
    followUps: await followUps(evidence, [question], docs),
  };
}

/** Maximum number of replies that are remembered. */
const remembered = 20;

/** Answers the questions of language models, and remembers the replies, so that the chat can show their sources. */
export class ModelAnswers {
  #connection: DocsConnection;
  #replies = new Map<string, DocsReply>();

  constructor(connection: DocsConnection) {
    this.#connection = connection;
  }

  /** Answers a question as text, with the addresses of its sources. Rejects like `askDocs`. */
  async answer(question: string, signal: AbortSignal): Promise<string> {
    const reply = await askDocs(this.#connection, question, signal);
    this.#replies.delete(question);
    this.#replies.set(question, reply);
    keepNewest(this.#replies, remembered);
    const { text, evidence } = reply;
    if (evidence.length === 0) return text;
    const sources = evidence.map(
      ({ pathOrUrl, reason }) => `- ${visibleText(pathOrUrl)}${reason ? ` (${reason})` : ''}`,
    );
    return [text, '', l10n.t('Sources:'), ...sources].join('\n');
  }

  /** Returns the last reply to a question. */
  replyTo(question: string): DocsReply | undefined {
    return this.#replies.get(question);
  }
}
