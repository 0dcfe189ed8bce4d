import assert from 'node:assert/strict';
import type * as z from 'zod';
import { embeddedEndpoints, fromService, fromWindow } from '../../../src/contract/embedded.ts';
import { type Endpoint, endpoints } from '../../../src/contract/endpoints.ts';
import { describeIssues } from '../../../src/contract/errors.ts';
import { fromViewer } from '../../../src/contract/sessions/live-view.ts';
import { webhookDelivery } from '../../../src/contract/webhooks/webhooks.ts';
import { ServiceError } from '../../../src/service/platform/errors.ts';
import { check } from '../../../src/service/platform/http/check-body.ts';
import { longValues, tooLong } from '../../harness/long-texts.ts';

const schemas: [name: string, schema: z.ZodType][] = [
  ...Object.entries<Endpoint>({ ...endpoints, ...embeddedEndpoints }).flatMap(([name, { params, query, body }]) =>
    Object.entries({ params, query, body }).flatMap(([part, schema]): [string, z.ZodType][] =>
      schema ? [[`${name}, ${part}`, schema]] : [],
    ),
  ),
  ['fromService', fromService],
  ['fromWindow', fromWindow],
  ['fromViewer', fromViewer],
  ['webhookDelivery', webhookDelivery],
];

describe('what is wrong with a request', () => {
  for (const [name, schema] of schemas)
    it(`is said without repeating 70,000 characters of it: ${name}`, () => {
      const problems = [...longValues(schema)].flatMap(([place, value]) => {
        const { error } = schema.safeParse(value);
        return [...tooLong(error && describeIssues(error.issues), place), ...tooLong(refusalOf(schema, value), place)];
      });
      assert.deepEqual(problems, []);
    });
});

/** The body of the response to an invalid value. */
function refusalOf(schema: z.ZodType, value: unknown): unknown {
  try {
    check(schema, value);
    return undefined;
  } catch (error) {
    assert.ok(error instanceof ServiceError);
    return { error: error.message, details: error.details };
  }
}
