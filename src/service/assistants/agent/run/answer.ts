import * as z from 'zod';
import { listed } from '../../../../contract/shorten.ts';
import { checkedJson, parseJson } from '../../../platform/language-model/json-answer.ts';
import type { Answer, ReadPage } from '../store/steps.ts';
import { prepareSources, sourcesOf } from './sources.ts';

/** What a model gives as its answer. */
export const answerShape = z.object({
  data: z.unknown().describe("The data, as JSON that matches the task's schema"),
  sources: z
    .array(
      z.object({
        path: z.string().max(1000).describe('Path in data, such as items[0].name; a part stands for all in it'),
        pages: z.array(z.int()).max(100).describe('Numbers of the pages that it is from'),
      }),
    )
    .max(10_000)
    .default([])
    .describe('Where every value of data is from'),
});

export type Verdict =
  | { kind: 'accepted'; answer: Answer }
  /** `data` violates the schema, or values have no source. */
  | { kind: 'rejected'; reason: 'data' | 'sources'; problem: string };

/**
 * Checks an answer of a model: whether its data matches the schema, and which of the pages that were read each value is from.
 * @param lenient accepts values without a source, with a warning
 */
export async function judge(
  given: unknown,
  schema: Readonly<Record<string, unknown>> | undefined,
  pages: readonly ReadPage[],
  lenient: boolean,
): Promise<Verdict> {
  const parsed = answerShape.safeParse(given);
  const rejected = (problem: string): Verdict => ({ kind: 'rejected', reason: 'data', problem });
  if (!parsed.success || parsed.data.data === undefined) {
    return rejected('Expected an object with "data" and "sources": [{ "path": …, "pages": [numbers] }].');
  }
  const { data, sources: claims } = parsed.data;
  // Some models write the data as text.
  const value = typeof data === 'string' ? (parseJson(data) ?? data) : data;
  const checked = await checkedJson(value, schema);
  if (checked.warning !== undefined) return rejected(checked.warning);
  await prepareSources(pages);
  const { sources, missing } = sourcesOf(checked.value, claims, pages);
  if (missing.length === 0) return { kind: 'accepted', answer: { data: checked.value, sources } };
  const list = listed(missing, 10);
  if (lenient) {
    return {
      kind: 'accepted',
      answer: { data: checked.value, sources, warning: `No source was found for these values: ${list}.` },
    };
  }
  return {
    kind: 'rejected',
    reason: 'sources',
    problem: `No page that you have read contains these values, and you named no page for them: ${list}. Name the pages, read them first, or use null.`,
  };
}
