import * as z from 'zod';
import { endpoint } from '../endpoints/endpoint.ts';
import { characters, requestBody, responseBody } from '../fields.ts';
import { limits } from '../limits.ts';

/** Body of POST /v2/support/docs-search. */
export const docsSearchBody = requestBody({
  question: characters(limits.question).describe('The question to answer'),
});

/** An answer with its evidence (specification, "Documentation answer"). */
const docsAnswer = responseBody({
  requestId: z.string().nullish().describe('Identifier of the request, for logs'),
  answer: z.string().describe('A concise answer based only on the reference texts'),
  evidence: z
    .array(
      responseBody({
        pathOrUrl: z
          .string()
          .describe('The text that supports the answer: its file with the anchor of the heading, or its URL'),
        reason: z.string().nullish().describe('Why it is cited: the kind of the passage, and its lines'),
      }),
    )
    .nullish()
    .describe('The sources of the answer; empty when the texts do not answer the question'),
  usage: responseBody({
    inputTokens: z.number().nullish().describe('Tokens that a language model read; 0 without one'),
    outputTokens: z.number().nullish().describe('Tokens that a language model wrote; 0 without one'),
    totalTokens: z.number().nullish().describe('Input and output tokens together'),
  }).nullish(),
  durationMs: z.number().nullish().describe('Total execution time in milliseconds'),
});
export type DocsAnswer = z.output<typeof docsAnswer>;

const asked = {
  body: docsSearchBody,
  errors: { 503: 'There are no reference texts to answer from' },
  respondsWithin: 65,
} as const;

/** Questions about the service. */
export const docsSearchEndpoints = {
  searchDocs: endpoint('POST', '/v2/support/docs-search', {
    ...asked,
    summary: 'Answer a question from the reference texts',
    response: docsAnswer,
  }),
  askSupport: endpoint('POST', '/v2/support/ask', {
    ...asked,
    summary: 'Answer a question from the reference texts, as a support agent would',
    response: responseBody({
      ...docsAnswer.shape,
      confidence: z.string().nullish().describe('medium, or low if the texts do not answer the question'),
      fixParameters: z.record(z.string(), z.unknown()).nullish().describe('Always null: no request is repeated'),
      validation: responseBody({ tested: z.boolean().nullish() })
        .nullish()
        .describe('Whether the answer was tried out; it never is'),
      warning: z.string().nullish().describe('Fields of the request that have no effect'),
    }),
  }),
} as const;
