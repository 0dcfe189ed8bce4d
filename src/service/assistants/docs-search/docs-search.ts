import { randomUUID } from 'node:crypto';
import type { DocsAnswer } from '../../../contract/docs-search/docs-search.ts';
import { isOtherLanguage } from '../../../contract/english.ts';
import { messageOf, ServiceError } from '../../platform/errors.ts';
import type { TokenCount } from '../../platform/language-model/language-model.ts';
import { ModelError } from '../../platform/language-model/language-model.ts';
import type { Platform } from '../../platform/platform.ts';
import type { Answer } from './answer/answer.ts';
import { answerWithModel } from './answer/model-answer.ts';
import type { Reply } from './thread/tasks.ts';

/** Answers questions from reference texts (specification, POST /v2/support/docs-search). */
export type DocsSearch = ReturnType<typeof createDocsSearch>;

export interface DocsSearchOptions extends Pick<Platform, 'clock' | 'log' | 'models'> {
  /** Searches the texts for a team's questions. */
  search(team: string, question: string): Promise<Reply>;
}

/** The answer when nothing relevant was found. */
export const notAnswered = 'The reference texts do not answer this.';
/** What to add for a question in another language. */
const onlyEnglish = {
  withModel: 'Ask in English, the language of the texts.',
  withoutModel: 'Without a language model, only questions in English are understood.',
};

const none: TokenCount = { inputTokens: 0, outputTokens: 0, totalTokens: 0 };

export function createDocsSearch({ search, models, clock, log }: DocsSearchOptions) {
  function unanswered(team: string, question: string): string {
    if (!isOtherLanguage(question)) return notAnswered;
    return `${notAnswered} ${models.find(team) ? onlyEnglish.withModel : onlyEnglish.withoutModel}`;
  }

  return {
    /** Answers a question. Rejects with 503 when there are no texts, or with the signal's reason. */
    async ask(team: string, question: string, signal: AbortSignal): Promise<DocsAnswer> {
      const started = clock.monotonic();
      const requestId = `req_${randomUUID()}`;
      const found = await search(team, question);
      if (found.searched === 0) {
        throw new ServiceError(
          503,
          'There are no reference texts to answer from. Start the service with --docs DIR, or rebuild it.',
          { code: 'NO_DOCS' },
        );
      }
      let answer: Answer | undefined = found.answer;
      let usage = none;
      const model = found.excerpts.length > 0 ? models.find(team) : undefined;
      try {
        if (model) ({ answer, usage } = await answerWithModel(model, question, found.excerpts, signal));
      } catch (error) {
        if (!(error instanceof ModelError)) throw error;
        log.warn({ requestId, reason: messageOf(error) }, 'the language model failed; composing the answer without it');
      }
      return {
        requestId,
        answer: answer?.answer ?? unanswered(team, question),
        evidence: (answer?.evidence ?? []).map((entry) => ({ ...entry })),
        usage: { ...usage },
        durationMs: Math.round(clock.monotonic() - started),
      };
    },
  };
}
