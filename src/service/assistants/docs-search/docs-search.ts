import { randomUUID } from 'node:crypto';
import type { DocsAnswer, docsSearchEndpoints } from '../../../contract/docs-search/docs-search.ts';
import type { docsSourceEndpoints } from '../../../contract/docs-search/docs-sources.ts';
import { isOtherLanguage } from '../../../contract/english.ts';
import { messageOf, ServiceError } from '../../platform/errors.ts';
import type { Handlers } from '../../platform/http/bind.ts';
import { ModelError, type TokenCount } from '../../platform/language-model/language-model.ts';
import type { Platform } from '../../platform/platform.ts';
import type { Answer } from './answer/answer.ts';
import { answerWithModel } from './answer/model-answer.ts';
import type { DocsSources } from './sources.ts';

type DocsEndpoint = keyof typeof docsSearchEndpoints | keyof typeof docsSourceEndpoints;

/** The answer when nothing relevant was found. */
const notAnswered = 'The reference texts do not answer this.';

/** Answers questions from reference texts (specification, POST /v2/support/docs-search), and lists and changes the sources. */
export function docsHandlers(
  sources: DocsSources,
  { models, clock, log }: Pick<Platform, 'clock' | 'log' | 'models'>,
): Pick<Handlers, DocsEndpoint> {
  function unanswered(team: string, question: string): string {
    if (!isOtherLanguage(question)) return notAnswered;
    if (models.find(team)) return `${notAnswered} Ask in English, the language of the texts.`;
    return `${notAnswered} Without a language model, only questions in English are understood.`;
  }

  /** Rejects with 503 when there are no texts, or with the signal's reason. */
  async function ask(team: string, question: string, signal: AbortSignal): Promise<DocsAnswer> {
    const started = clock.monotonic();
    const requestId = `req_${randomUUID()}`;
    const found = await sources.search(team, question);
    if (found.searched === 0) {
      const message = 'There are no reference texts to answer from. Start the service with --docs DIR, or rebuild it.';
      throw new ServiceError(503, message, { code: 'NO_DOCS' });
    }
    let answer: Answer | undefined = found.answer;
    let usage: TokenCount = { inputTokens: 0, outputTokens: 0, totalTokens: 0 };
    const model = found.excerpts.length > 0 ? models.find(team) : undefined;
    try {
      if (model) ({ answer, usage } = await answerWithModel(model, question, found.excerpts, signal));
    } catch (error) {
      if (!(error instanceof ModelError)) throw error;
      log.warn({ requestId, reason: messageOf(error) }, 'the language model failed; composing the answer without it');
    }
    return {
      requestId,
      answer: [answer?.answer ?? unanswered(team, question), ...unreadText(found.unread)].join('\n\n'),
      evidence: answer?.evidence ?? [],
      usage: { ...usage },
      durationMs: Math.round(clock.monotonic() - started),
    };
  }

  return {
    searchDocs: ({ body }, { caller, signal }) => ask(caller.team, body.question, signal),
    async askSupport({ body }, { caller, signal }) {
      const answer = await ask(caller.team, body.question, signal);
      const confidence = answer.evidence?.length ? 'medium' : 'low';
      return { ...answer, confidence, fixParameters: null, validation: { tested: false } };
    },
    listDocsSources: (_request, { caller }) => ({ success: true, sources: sources.list(caller.team) }),
    addDocsSource: async ({ body: { folder, crawlId, name } }, { caller }) => {
      const added =
        folder === undefined
          ? await sources.addCrawl(caller, crawlId ?? '', name)
          : await sources.addFolder(caller.team, folder, name);
      return { success: true, ...added };
    },
    removeDocsSource: async ({ params }, { caller }) => {
      await sources.remove(caller.team, params.sourceId);
      return { success: true };
    },
  };
}

function unreadText(sources: readonly string[]): string[] {
  if (sources.length === 0) return [];
  const names = sources.map((name) => `"${name}"`).join(', ');
  return [
    `Couldn't read these docs sources, so the answer leaves them out: ${names}. To index them again, add them again.`,
  ];
}
