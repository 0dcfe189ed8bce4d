import * as z from 'zod';
import { parseUrl } from './addresses.ts';
import { listed, shorten } from './shorten.ts';

/** The body of every error response (specification, "Errors"; the shape is our choice where it says "not shown"). */
export const errorBody = z.looseObject({
  success: z.literal(false),
  error: z.string(),
  code: z.string().optional(),
  details: z
    .unknown()
    .optional()
    .describe('What is wrong with the request; of `NO_BROWSER`, `searched` lists where a browser was looked for'),
});

/**
 * Describes why a request or response is not valid: each field, what was expected and, if `value` is given, what came instead.
 * Texts that came are not quoted unless they should have been a name: they may be secret.
 */
export function describeIssues(issues: readonly z.core.$ZodIssue[], value?: unknown): string {
  const sentences = preciseIssues(issues, value)
    .slice(0, 3)
    .map((issue) => {
      const path = shorten(issue.path.map(String).join('.'), 100);
      const message = messageOf(issue);
      return path ? `${path}: ${message}` : message;
    });
  return sentences.join('; ');
}

function messageOf(issue: z.core.$ZodIssue): string {
  if (issue.code !== 'unrecognized_keys') return shorten(issue.message);
  const keys = issue.keys.map((key) => `"${shorten(key, 38)}"`);
  return `unknown field ${listed(keys, 5, 40)}`;
}

/**
 * Returns issues with the fields in which they are: of a choice between shapes, those of the shape that was meant.
 * @param value what has the issues; with it, their messages say what came
 */
export function preciseIssues(issues: readonly z.core.$ZodIssue[], value?: unknown): z.core.$ZodIssue[] {
  return issues.flatMap((issue) => {
    const meant = issue.code === 'invalid_union' ? issue.errors.find(isMeant) : undefined;
    const inner = meant?.map((each) => ({ ...each, path: [...issue.path, ...each.path] }) as z.core.$ZodIssue);
    return inner ? preciseIssues(inner, value) : [value === undefined ? issue : withReceived(issue, value)];
  });
}

/** Whether these are the issues of a shape that was meant: that of an object or a text that came, and of its type. */
function isMeant(issues: readonly z.core.$ZodIssue[]): boolean {
  return issues.every(
    ({ code, path: [name] }) =>
      name !== 'type' && (name !== undefined || !/^(invalid_(type|value|union)|custom)$/.test(code)),
  );
}

function withReceived(issue: z.core.$ZodIssue, value: unknown): z.core.$ZodIssue {
  const isSaid =
    issue.code === 'custom' || issue.code === 'unrecognized_keys' || /\b(received|got)\b/.test(issue.message);
  if (isSaid) return issue;
  let received = value;
  for (const name of issue.path)
    received =
      typeof received === 'object' && received !== null && Object.hasOwn(received, name)
        ? (received as Record<PropertyKey, unknown>)[name]
        : undefined;
  return { ...issue, message: `${issue.message}, got ${shown(received, issue.code)}` };
}

function shown(value: unknown, code: string): string {
  if (value === undefined) return 'nothing';
  if (Array.isArray(value)) return `a list of ${value.length}`;
  if (typeof value === 'object' && value !== null) {
    const { type } = value as { type?: unknown };
    return typeof type === 'string' ? `an object with type ${JSON.stringify(shorten(type, 40))}` : 'an object';
  }
  if (typeof value !== 'string') return String(value);
  if (code === 'invalid_value' || code === 'invalid_union') return JSON.stringify(shorten(value, 40));
  if (code !== 'invalid_format') return 'a text';
  const scheme = parseUrl(value)?.protocol;
  return scheme ? `a URL with ${shorten(scheme, 40)}` : 'another text';
}
