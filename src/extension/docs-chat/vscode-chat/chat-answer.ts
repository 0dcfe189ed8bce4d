import * as l10n from '@vscode/l10n';
import { visibleText } from '../../ui/visible-text.ts';
import { askDocs, type DocsConnection } from '../ask-docs.ts';
import { type BundledDocs, describeEvidence, type EvidenceTarget, evidenceTarget } from '../evidence/evidence.ts';
import { followUps } from '../evidence/follow-ups.ts';
import { chatMarkdown } from './chat-markdown.ts';

/** An answer for VS Code's chat. */
export interface ChatAnswer {
  /** Without links, images or HTML. */
  markdown: string;
  /** The sources that a chat may open: bundled docs and web pages. */
  references: Extract<EvidenceTarget, { kind: 'bundled' | 'web' }>[];
  followUps: string[];
}

interface Parts {
  connection: DocsConnection;
  docs: BundledDocs;
}

/** Answers a question for VS Code's chat. Rejects like `askDocs`. */
export async function answerForChat(parts: Parts, question: string, signal: AbortSignal): Promise<ChatAnswer> {
  const { connection, docs } = parts;
  const reply = await askDocs(connection, question, signal);
  const names = await docs.names();
  const targets = reply.evidence.map(({ pathOrUrl }) => evidenceTarget(pathOrUrl, reply.embedded, names));
  const evidence = await Promise.all(reply.evidence.map((one) => describeEvidence(one, reply.embedded, docs)));
  return {
    markdown: chatMarkdown(reply.text),
    references: targets.filter((target) => target.kind === 'bundled' || target.kind === 'web'),
    followUps: await followUps(evidence, [question], docs),
  };
}

/** Answers a question for a language model, as text. Rejects like `askDocs`. */
export async function answerForModel(
  connection: DocsConnection,
  question: string,
  signal: AbortSignal,
): Promise<string> {
  const { text, evidence } = await askDocs(connection, question, signal);
  if (evidence.length === 0) return text;
  const sources = evidence.map(({ pathOrUrl, reason }) => `- ${visibleText(pathOrUrl)}${reason ? ` (${reason})` : ''}`);
  return [text, '', l10n.t('Sources:'), ...sources].join('\n');
}
