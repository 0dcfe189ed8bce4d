import * as z from 'zod';
import { listed, shorten } from './shorten.ts';

/** The body of every error response (specification, "Errors"; the shape is our choice where it says "not shown"). */
export const errorBody = z.looseObject({
  success: z.literal(false),
  error: z.string(),
  code: z.string().optional(),
  details: z.unknown().optional(),
});
export type ErrorBody = z.output<typeof errorBody>;

/** Describes why a request or response is not valid: each field and what was expected. */
export function describeIssues(issues: readonly z.core.$ZodIssue[]): string {
  const sentences = issues.slice(0, 3).map((issue) => {
    if (issue.code === 'unrecognized_keys') {
      return `unknown field ${listed(
        issue.keys.map((key) => `"${shorten(key, 38)}"`),
        5,
        40,
      )}`;
    }
    const path = shorten(issue.path.map(String).join('.'), 100);
    const message = shorten(issue.message);
    return path ? `${path}: ${message}` : message;
  });
  return sentences.join('; ');
}
