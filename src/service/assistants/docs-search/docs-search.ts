import { randomUUID } from 'node:crypto';
import type { DocsAnswer } from '../../../contract/docs-search/docs-search.ts';
import type { Clock } from '../../platform/clock.ts';
import { messageOf, ServiceError } from '../../platform/errors.ts';
import type { LanguageModels, TokenCount } from '../../platform/language-model/language-model.ts';
import { ModelError } from '../../platform/language-model/language-model.ts';
import type { Log } from '../../platform/log.ts';
import { type Composed, compose } from './answer/answer.ts';
import { evidenceOf } from './answer/evidence.ts';
import { answerWithModel } from './answer/model-answer.ts';
import { rank, vocabularyOf } from './answer/ranking.ts';
import type { SearchIndex } from './index/search-index.ts';
import { mayNotBeEnglish } from './question/common-words.ts';
import { readQuestion } from './question/query.ts';

/** Answers questions from reference texts (specification, POST /v2/support/docs-search). */
export interface DocsSearch {
  /** Answers a question. Rejects with 503 when there are no texts, or with the signal's reason. */
  ask(team: string, question: string, signal: AbortSignal): Promise<DocsAnswer>;
}

export interface DocsSearchOptions {
  /** The indexes for a team's questions. */
  indexesOf(team: string): Promise<SearchIndex[]>;
  models: LanguageModels;
  clock: Clock;
  log: Log;
}

/** The answer when nothing relevant was found. */
export const notAnswered = 'The reference texts do not answer this.';
/** What to add for a question in another language. */
const onlyEnglish = {
  withModel: 'Ask in English, the language of the texts.',
  withoutModel: 'Without a language model, only questions in English are understood.',
};

/** A model is not asked when the best passage scores lower. */
const minScoreForModel = 0.3;
const none: TokenCount = { inputTokens: 0, outputTokens: 0, totalTokens: 0 };

export function createDocsSearch({ indexesOf, models, clock, log }: DocsSearchOptions): DocsSearch {
  function unanswered(team: string, question: string): string {
    if (!mayNotBeEnglish(question)) return notAnswered;
    return `${notAnswered} ${models.find(team) ? onlyEnglish.withModel : onlyEnglish.withoutModel}`;
  }

  return {
    async ask(team, question, signal) {
      const started = clock.monotonic();
      const requestId = `req_${randomUUID()}`;
      const indexes = await indexesOf(team);
      if (indexes.every(({ corpus }) => corpus.passages.length === 0)) {
        throw new ServiceError(
          503,
          'There are no reference texts to answer from. Start the service with --docs DIR, or rebuild it.',
          {
            code: 'NO_DOCS',
          },
        );
      }
      const query = readQuestion(question, vocabularyOf(indexes));
      const hits = rank(query, indexes);
      let composed: Composed | undefined;
      let usage = none;
      const model = hits[0] && hits[0].score >= minScoreForModel ? models.find(team) : undefined;
      try {
        if (model) ({ composed, usage } = await answerWithModel(model, question, hits, signal));
        else composed = compose(query, hits);
      } catch (error) {
        if (!(error instanceof ModelError)) throw error;
        log.warn({ requestId, reason: messageOf(error) }, 'the language model failed; composing the answer without it');
        composed = compose(query, hits);
      }
      return {
        requestId,
        answer: composed?.answer ?? unanswered(team, question),
        evidence: (composed ? evidenceOf(composed.hits) : []).map((entry) => ({ ...entry })),
        usage: { ...usage },
        durationMs: Math.round(clock.monotonic() - started),
      };
    },
  };
}
