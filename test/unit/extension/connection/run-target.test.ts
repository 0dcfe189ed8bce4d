import assert from 'node:assert/strict';
import { scrapeIdIn } from '../../../../src/extension/agents/scrape-ids.ts';
import { RunTarget } from '../../../../src/extension/connection/run-target.ts';
import { promptRequest } from '../../../../src/extension/runs/prompt-request.ts';

const jobId = '0b5f1c9e-5d5c-4b6e-9d43-0a6f6c7d8e9f';

describe('the run target', () => {
  it('is a scrape until it is cleared, and has the session of the scrape', () => {
    const target = new RunTarget();
    const sessionId = () => target.scrape?.sessionId;
    let changes = 0;
    target.onDidChange.on(() => {
      changes++;
    });
    target.clear();
    assert.equal(changes, 0);
    target.use({ jobId, name: 'shop.test' });
    target.setSession('another job', 's1');
    assert.equal(sessionId(), undefined);
    target.setSession(jobId, 's1');
    target.setSession(jobId, 's1');
    assert.equal(sessionId(), 's1');
    assert.equal(changes, 2);
    target.clear();
    assert.equal(target.scrape, undefined);
  });
});

describe('the scrape in a record', () => {
  it('is found only in a response of the server and its data', () => {
    const data = { markdown: 'x', metadata: { scrapeId: jobId, sourceURL: 'https://shop.test/' } };
    for (const record of [data, { success: true, data }]) {
      assert.deepEqual(scrapeIdIn(JSON.stringify(record)), { jobId, url: 'https://shop.test/' });
    }
  });
  for (const text of [
    '',
    'no json',
    'null',
    '[]',
    '{"metadata":null}',
    '{"metadata":{"scrapeId":7}}',
    '{"metadata":{"scrapeId":"../x"}}',
  ]) {
    it(`isn't found in ${text || 'nothing'}`, () => assert.equal(scrapeIdIn(text), undefined));
  }
});

describe('a prompt as a run', () => {
  it('is named by its words, on one line', () => {
    const request = promptRequest('Order\n  two apples ', 120);
    assert.equal(request.snippet.title, '“Order two apples”');
    assert.equal(request.snippet.text, 'Order\n  two apples ');
    assert.equal(request.isPrompt, true);
    assert.equal(request.timeout, 120);
  });
});
