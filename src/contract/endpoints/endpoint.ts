import type * as z from 'zod';

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
