import type * as z from 'zod';
import { describeIssues, preciseIssues } from '../../../contract/errors.ts';
import { shorten } from '../../../contract/shorten.ts';
import { badRequest, ServiceError } from '../errors.ts';
import { isPublishedClient } from '../published-clients.ts';

/** Maximum number of problems that an error lists, and of unknown fields that each of them names. */
const maxListed = 20;

/** Deeper values than this could use up the stack of what checks, stores or sends them. */
const maxDepth = 500;

/** Parses JSON in UTF-8. Throws a ServiceError. */
export function parseJson(bytes: Uint8Array): unknown {
  if (isDeeperThan(maxDepth, bytes))
    throw badRequest(`The body is nested too deeply: the limit is ${maxDepth} levels.`);
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    throw new ServiceError(400, 'Bad request, malformed JSON', { code: 'BAD_REQUEST_INVALID_JSON' });
  }
}

function isDeeperThan(limit: number, json: Uint8Array): boolean {
  const [quote, backslash, opening, closing] = [0x22, 0x5c, [0x5b, 0x7b], [0x5d, 0x7d]];
  let depth = 0;
  let inText = false;
  for (let at = 0; at < json.length; at++) {
    const byte = json[at];
    if (inText) {
      if (byte === backslash) at++;
      else if (byte === quote) inText = false;
    } else if (byte === quote) inText = true;
    else if (byte === opening[0] || byte === opening[1]) {
      if (++depth > limit) return true;
    } else if (byte === closing[0] || byte === closing[1]) depth--;
  }
  return false;
}

/** Returns a value as its schema has it. Throws a ServiceError that says what was expected. */
export function check(schema: z.ZodType, value: unknown): unknown {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  // A body can have as many problems as bytes.
  const issues = briefly(preciseIssues(parsed.error.issues, value)) as z.core.$ZodIssue[];
  const isClient = typeof value === 'object' && value !== null && isPublishedClient(value);
  const message = isClient ? expectedError(issues) : issues.every(isGeneral) ? general : describeIssues(issues);
  throw badRequest(message, issues);
}

/** Returns the first items of each list, with each text shortened: keys and paths are the caller's. */
function briefly(value: unknown): unknown {
  if (typeof value === 'string') return shorten(value);
  if (Array.isArray(value)) return value.slice(0, maxListed).map(briefly);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, briefly(part)]));
}

/** What an invalid body is answered with where its `details` say what is wrong: clients of the published API compare it. */
const general = 'Bad Request';

/** Whether the published API calls it a "Bad Request" when this is invalid, in the requests of any program. */
function isGeneral({ path, ...issue }: z.core.$ZodIssue): boolean {
  if (issue.code === 'unrecognized_keys') return path.includes('formats') && issue.keys.includes('systemPrompt');
  return path.at(-1) === 'waitFor' || (path.includes('parsers') && !isRefused(issue));
}

/** Whether a choice was refused with a reason that is for people. */
function isRefused(issue: Omit<z.core.$ZodIssue, 'path'>): boolean {
  if (issue.code !== 'invalid_union') return issue.code === 'custom';
  return (issue as z.core.$ZodIssueInvalidUnion).errors[0]?.[0]?.code === 'custom';
}

/** Returns the error that published clients expect for an invalid body. What is wrong is in `details`, which they show too. */
function expectedError(issues: readonly z.core.$ZodIssue[]): string {
  if (issues.some(({ code, path }) => code === 'unrecognized_keys' && !path.includes('formats')))
    return 'Unrecognized key in body -- please review the v2 API documentation for request body changes';
  const [first] = issues;
  return first?.code === 'custom' && first.path.at(-1) !== 'waitFor' ? first.message : general;
}
