import * as z from 'zod';
import { jobId } from '../fields.ts';

/** An endpoint of the API. The client, the routes, OpenAPI and the reference tables derive from it. */
export interface Endpoint {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** Path with `:name` parameters. */
  path: string;
  /** Other paths of the same endpoint. */
  aliases?: readonly string[];
  summary: string;
  params?: z.ZodObject;
  query?: z.ZodObject;
  body?: z.ZodObject;
  /** Bytes of the body, if it can be longer than `limits.body`. */
  bodyLimit?: number;
  /** Whether the request can also be multipart/form-data: with a `file`, and the body as JSON in `options`. */
  takesFile?: true;
  response: z.ZodType;
  /** Status -> when it is returned. 400, 401, 413 and 415 are the same everywhere and not listed. */
  errors: Readonly<Record<number, string>>;
  /** Seconds that the server may take to respond; 60 by default. */
  respondsWithin?: number | 'run timeout';
}

type Described = Omit<Endpoint, 'method' | 'path' | 'errors'> & Partial<Pick<Endpoint, 'errors'>>;

/** Describes an endpoint. Keeps the exact types of its schemas. */
export function endpoint<const Entry extends Described>(method: Endpoint['method'], path: string, entry: Entry) {
  return { method, path, errors: {} as Endpoint['errors'], ...entry };
}

/** Meaning of 503 for calls that need a browser. */
export const noBrowser = 'Chrome or the runtime of the language is missing; the message says what to do';

/** Meaning of 403 for jobs. */
export const othersJob = 'The job belongs to a different team';

/** Errors of calls about an open session. */
export const sessionErrors = {
  403: 'The session belongs to another team',
  404: 'Session not found',
  410: 'The session was destroyed',
} as const;

/** The path parameters of a job. */
export const jobParams = z.object({
  jobId: jobId.describe('The id from the response that started the job'),
});
