import { parentPort } from 'node:worker_threads';
import { embeddedEndpoints } from '../../../contract/embedded.ts';
import { type Endpoint, endpoints } from '../../../contract/endpoints.ts';
import { withoutIgnored } from '../../../contract/ignored-fields.ts';
import { badRequest, ServiceError } from '../errors.ts';
import { schemaProblem, unusableSchema } from '../language-model/json-schema.ts';
import { isLarge } from '../large-json.ts';
import { check, parseJson } from './check-body.ts';

/** A body to read, and the endpoint whose schema it has to fit. */
export interface BodyTask {
  endpoint: string | undefined;
  bytes: Uint8Array;
  /** Whether it is a list of a JSON Schema and the value to check against it: the result is what is wrong. */
  isSchema?: boolean;
}

export type BodyReply =
  | { value: unknown; warnings: string[] }
  | { error: { status: number; message: string; code: string | undefined; details: unknown } };

const table: Readonly<Record<string, Endpoint>> = { ...endpoints, ...embeddedEndpoints };

/** Values of a body that no schema limits: each takes time to arrive where all requests are answered, and to be checked there. */
const maxValues = 10_000;

function problemOf([schema, ...values]: [Record<string, unknown>, ...unknown[]]): string | undefined {
  return values.length === 0 ? unusableSchema(schema) : schemaProblem(schema, values[0]);
}

parentPort?.on('message', ({ endpoint, bytes, isSchema }: BodyTask) => {
  try {
    if (isSchema) {
      const value = problemOf(JSON.parse(new TextDecoder().decode(bytes)));
      return parentPort?.postMessage({ value, warnings: [] } satisfies BodyReply);
    }
    const entry = endpoint === undefined ? undefined : table[endpoint];
    const parsed = parseJson(bytes);
    const { body, warnings } = entry ? withoutIgnored(entry.path, parsed) : { body: parsed, warnings: [] };
    if (!entry && isLarge(body, maxValues, 0))
      throw badRequest(`The body has more than ${maxValues} values. Send fewer at a time.`);
    const value = entry?.body ? check(entry.body, body) : body;
    parentPort?.postMessage({ value, warnings } satisfies BodyReply);
  } catch (error) {
    const { status, message, code, details } =
      error instanceof ServiceError ? error : badRequest('The body is nested too deeply.');
    parentPort?.postMessage({ error: { status, message, code, details } } satisfies BodyReply);
  }
});
