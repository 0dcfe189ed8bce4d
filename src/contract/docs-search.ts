import * as z from 'zod';
import { characters, requestBody, responseBody } from './fields.ts';
import { limits } from './limits.ts';

/** Body of POST /v2/support/docs-search. */
export const docsSearchBody = requestBody({
  question: characters(limits.question).meta({ description: 'The question to answer' }),
});

/** An answer with what it rests on (specification, "Documentation answer"). */
export const docsAnswer = responseBody({
  requestId: z.string().nullish(),
  answer: z.string(),
  evidence: z.array(responseBody({ pathOrUrl: z.string(), reason: z.string().nullish() })).nullish(),
  usage: responseBody({
    inputTokens: z.number().nullish(),
    outputTokens: z.number().nullish(),
    totalTokens: z.number().nullish(),
  }).nullish(),
  durationMs: z.number().nullish(),
});
export type DocsAnswer = z.output<typeof docsAnswer>;
