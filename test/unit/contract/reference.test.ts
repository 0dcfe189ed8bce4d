import assert from 'node:assert/strict';
import { examples } from '../../../scripts/lib/reference-examples.ts';
import { limitRows } from '../../../scripts/lib/reference-limits.ts';
import { fillBlocks } from '../../../scripts/lib/reference-tables.ts';
import { type Endpoint, endpoints } from '../../../src/contract/endpoints.ts';
import { limits } from '../../../src/contract/limits.ts';

/** The contract names no field of these: there is nothing to show. */
const withoutFields = new Set(['parseFile']);

describe('the reference', () => {
  for (const [name, entry] of Object.entries<Endpoint>(endpoints)) {
    if (withoutFields.has(name)) continue;
    it(`shows an example of ${name} that matches the contract`, () => {
      const example = examples[name as keyof typeof examples];
      assert.ok(example, 'there is no example');
      for (const part of ['params', 'query', 'body'] as const) {
        const schema = entry[part];
        if (schema) assert.deepEqual(schema.safeParse(example[part] ?? {}).error?.issues, undefined, part);
        else assert.equal(example[part], undefined, `${part} is shown, and there is none`);
      }
      assert.deepEqual(entry.response.safeParse(example.answer).error?.issues, undefined, 'answer');
    });
  }

  it('lists every limit with its numbers', () => {
    assert.deepEqual(Object.keys(limitRows).sort(), Object.keys(limits).sort());
    const table = fillBlocks('<!-- contract: limits -->\n<!-- /contract -->') ?? '';
    for (const row of Object.values(limitRows)) assert.ok(table.includes(row.join(' | ')));
    assert.match(table, /session lifetime \| 30 to 3600 seconds, default 600/);
    assert.match(table, /length of code \| 1 to 100,000 characters/);
  });

  it('describes shared fields once', () => {
    const shapes = fillBlocks('<!-- contract: shapes -->\n<!-- /contract -->') ?? '';
    assert.match(shapes, /### Scrape options\n/);
    assert.match(shapes, /\| `metadata\.scrapeId` \|/);
    const scrape = fillBlocks('<!-- contract: scrape -->\n<!-- /contract -->') ?? '';
    assert.match(scrape, /all \[scrape options\]\(#scrape-options\)/);
    assert.match(scrape, /\| `data` \| \[document\]\(#document\) \|/);
    assert.doesNotMatch(scrape, /metadata\.scrapeId` \|/);
  });
});
