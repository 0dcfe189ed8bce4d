import assert from 'node:assert/strict';
import fc from 'fast-check';
import type * as z from 'zod';
import { embeddedEndpoints, fromService, fromWindow } from '../../src/contract/embedded.ts';
import { type Endpoint, endpoints } from '../../src/contract/endpoints.ts';
import { describeIssues } from '../../src/contract/errors.ts';
import { fromViewer } from '../../src/contract/sessions/live-view.ts';
import { webhookDelivery } from '../../src/contract/webhooks/webhooks.ts';
import { fuzz, hostileJson, nearly } from '../harness/fuzzing.ts';

const table = Object.values<Endpoint>({ ...endpoints, ...embeddedEndpoints });
const schemas: z.ZodType[] = [
  ...table.flatMap(({ params, query, body, response }) => [params, query, body, response].filter((each) => !!each)),
  fromService,
  fromWindow,
  fromViewer,
  webhookDelivery,
];

describe('the contract', () => {
  it('accepts a value or says what is wrong with it, and accepts its own output again', async () => {
    const cases = fc.oneof(
      ...schemas.map((schema) =>
        fc
          .oneof({ weight: 6, arbitrary: nearly(schema) }, { weight: 1, arbitrary: hostileJson })
          .map((value) => ({ schema, value })),
      ),
    );
    await fuzz(20, cases, ({ schema, value }) => {
      const parsed = schema.safeParse(value);
      if (parsed.success) {
        const again = schema.safeParse(parsed.data);
        assert.ok(again.success, JSON.stringify(again.error?.issues));
      } else {
        const text = describeIssues(parsed.error.issues);
        assert.ok(text.length > 0 && text.length <= 1_000, text.slice(0, 100));
      }
      assert.equal(({} as Record<string, unknown>).x, undefined);
    });
  });
});
