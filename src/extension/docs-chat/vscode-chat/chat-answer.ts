import { type AskedConnection, askDocs } from '../ask-docs.ts';
import { describeEvidence, type EvidenceTarget, evidenceTarget, type OwnTexts } from '../evidence/evidence.ts';
import { followUps } from '../evidence/follow-ups.ts';
import { visibleText } from '../visible-text.ts';
import { chatMarkdown } from './chat-markdown.ts';

/** An answer as a chat of others shows it. */
export interface ChatAnswer {
  /** With no link, image or HTML in it. */
  markdown: string;
  /** What the answer rests on, as far as a chat may open it: our own texts and web pages. */
  references: Extract<EvidenceTarget, { kind: 'own' | 'web' }>[];
  followUps: string[];
}

interface Parts {
  connection: AskedConnection;
  texts: OwnTexts;
}

/** Answers a question for a chat. Rejects as `askDocs`. */
export async function answerForChat(parts: Parts, question: string, signal: AbortSignal): Promise<ChatAnswer> {
  const { connection, texts } = parts;
  const reply = await askDocs(connection, question, signal);
  const names = await texts.names();
  const targets = reply.evidence.map(({ pathOrUrl }) => evidenceTarget(pathOrUrl, reply.embedded, names));
  const evidence = await Promise.all(reply.evidence.map((one) => describeEvidence(one, reply.embedded, texts)));
  return {
    markdown: chatMarkdown(reply.text),
    references: targets.filter((target) => target.kind === 'own' || target.kind === 'web'),
    followUps: await followUps(evidence, [question], texts),
  };
}

/** Answers a question for a language model, as text. Rejects as `askDocs`. */
export async function answerForModel(
  connection: AskedConnection,
  question: string,
  signal: AbortSignal,
): Promise<string> {
  const { text, evidence } = await askDocs(connection, question, signal);
  if (evidence.length === 0) return text;
  const sources = evidence.map(({ pathOrUrl, reason }) => `- ${visibleText(pathOrUrl)}${reason ? ` (${reason})` : ''}`);
  return [text, '', 'Sources:', ...sources].join('\n');
}
