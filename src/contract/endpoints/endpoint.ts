import type * as z from 'zod';

/** One call of the service: all that a client, a route, OpenAPI and the reference tables need to know of it. */
export interface Endpoint {
  method: 'GET' | 'POST' | 'DELETE';
  /** Path with `:name` parameters. */
  path: string;
  /** Other paths that answer the same. */
  aliases?: readonly string[];
  summary: string;
  /** Heading of the specification. */
  section: string;
  params?: z.ZodObject;
  query?: z.ZodObject;
  body?: z.ZodObject;
  response: z.ZodType;
  /** Status -> when it is answered. 400, 401 and 413/415 are the same everywhere and not repeated. */
  errors: Readonly<Record<number, string>>;
  /** Seconds the server may rightly take to answer; 60 where it is left out. */
  answersWithin?: number | 'run timeout';
}

/** Keeps the exact type of an entry. */
export function endpoint<const Entry extends Endpoint>(entry: Entry): Entry {
  return entry;
}
