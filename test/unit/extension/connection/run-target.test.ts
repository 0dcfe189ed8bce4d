import assert from 'node:assert/strict';
import { RunTarget } from '../../../../src/extension/connection/run-target.ts';
import '../../../harness/fake-vscode.ts';

const { scrapeIdIn } = await import('../../../../src/extension/agents/interact-commands.ts');
const { promptRequest } = await import('../../../../src/extension/runs/run-request.ts');

const jobId = '0b5f1c9e-5d5c-4b6e-9d43-0a6f6c7d8e9f';

describe('the run target', () => {
  function watched() {
    const target = new RunTarget();
    let changes = 0;
    target.onDidChange.on(() => {
      changes++;
    });
    return { target, sessionId: () => target.scrape?.sessionId, changes: () => changes };
  }

  it('is a scrape in its session until it is cleared', () => {
    const { target, sessionId, changes } = watched();
    target.clear();
    assert.equal(changes(), 0);
    target.use({ jobId, name: 'shop.test', sessionId: 's1' });
    target.setSession('another job', 's2');
    target.setSession(jobId, 's1');
    assert.deepEqual([sessionId(), changes()], ['s1', 1]);
    target.setSession(jobId, 's2');
    assert.deepEqual([sessionId(), changes()], ['s2', 2]);
    target.clear();
    assert.equal(target.scrape, undefined);
  });

  it('is left when another session is chosen, and again the scrape when its session is', () => {
    const { target, sessionId } = watched();
    target.use({ jobId, name: 'shop.test', sessionId: 's1' });
    target.follow('own');
    assert.equal(sessionId(), undefined);
    target.follow('s1');
    assert.equal(sessionId(), 's1');
    target.follow(undefined);
    assert.equal(sessionId(), undefined);
    target.follow('s1');
    target.clear();
    target.follow('own');
    target.follow('s1');
    assert.equal(sessionId(), undefined, 'its browser has closed');
  });

  it('is known by its session until that is cleared, also while another is in use', () => {
    const { target, sessionId } = watched();
    target.use({ jobId, name: 'shop.test', sessionId: 's1' });
    target.setSession(jobId, 's2');
    assert.deepEqual([target.of('s1'), target.of('s2')?.jobId], [undefined, jobId]);
    target.use({ jobId: 'other', name: 'other.test', sessionId: 's3' });
    target.clear('s2');
    assert.deepEqual([target.of('s2'), sessionId()], [undefined, 's3']);
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
