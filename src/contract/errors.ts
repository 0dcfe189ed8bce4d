import * as z from 'zod';

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
      return `unknown field ${issue.keys.map((key) => `"${key.slice(0, 60)}"`).join(', ')}`;
    }
    const path = issue.path.map(String).join('.');
    return path ? `${path}: ${issue.message}` : issue.message;
  });
  return sentences.join('; ');
}
