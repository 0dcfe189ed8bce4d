import assert from 'node:assert/strict';
import { Icons } from '../../../src/service/browsers/live-view/icons.ts';

/** The icon of a page that declares this one. */
function iconOf(declared: string): Promise<string | undefined> {
  const answers: Record<string, object> = {
    'Page.createIsolatedWorld': { executionContextId: 1 },
    'Runtime.evaluate': { result: { value: declared } },
  };
  const client = { send: async (method: string) => answers[method] ?? {} };
  return new Icons(assert.fail).of(client.send as never, 'frame', 'https://a.test/');
}

const png = Buffer.from('\x89PNG picture', 'latin1').toString('base64');

describe('the icon of a page', () => {
  it('is read from a data URL', async () => {
    for (const parameters of ['', ';charset=utf-8', ';a=b;c="d"'])
      assert.equal(await iconOf(`data:image/png${parameters};base64,${png}`), `data:image/png;base64,${png}`);
    assert.match((await iconOf('data:image/svg+xml,%3Csvg%3E%3C/svg%3E')) ?? '', /^data:image\/svg\+xml;base64,/);
  });

  it('is none if the URL is another, which takes no time to find (TRN-06)', async () => {
    for (const url of [`data:image/${'a'.repeat(99_000)}`, `data:image/${'a;'.repeat(49_000)}`, 'data:text/plain,a'])
      for (let times = 0; times < 60; times++) assert.equal(await iconOf(url), undefined);
  });
});
