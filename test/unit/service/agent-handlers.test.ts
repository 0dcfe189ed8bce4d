import assert from 'node:assert/strict';
import { startExtractBody } from '../../../src/contract/agent-jobs.ts';
import { limits } from '../../../src/contract/limits.ts';
import { agentHandlers } from '../../../src/service/assistants/agent/handlers.ts';
import { NotDone, urlOf } from '../../../src/service/assistants/agent/run/web.ts';
import type { JobRequest } from '../../../src/service/assistants/agent/store/job-table.ts';

describe('the URLs of an extract job', () => {
  const extract = async (urls: string[]) => {
    let stored: string[] = [];
    let limit: number | undefined;
    const checked: string[] = [];
    const { startExtract } = agentHandlers({
      jobs: {
        async start(_caller: unknown, _kind: unknown, request: JobRequest) {
          stored = request.urls;
          limit = request.extract?.limit;
          return 'id';
        },
      } as never,
      models: { find: () => ({}) } as never,
      checkTarget: (url) => void checked.push(url.href),
    });
    const body = startExtractBody.parse({ urls, prompt: 'x' });
    const answer = await startExtract({ body } as never, { caller: { team: 'red' } } as never);
    return { stored, checked, limit, invalid: (answer as { invalidURLs?: string[] }).invalidURLs ?? [] };
  };

  it('are the same addresses as everywhere else, with or without a scheme', async () => {
    const { stored, checked, invalid } = await extract([
      'localhost:3000',
      'example.com:8080/x',
      'http://intranet/wiki',
      'shop.test/products/*',
      'localhost:3000/*',
      'shop.test**',
    ]);
    assert.deepEqual(stored, [
      'http://localhost:3000/',
      'https://example.com:8080/x',
      'http://intranet/wiki',
      'https://shop.test/products/*',
      'http://localhost:3000/*',
      'https://shop.test/*',
    ]);
    assert.deepEqual(
      checked,
      stored.map((url) => url.replace('*', '')),
    );
    assert.deepEqual(invalid, []);
  });

  it('are all read, unless the request sets a limit', async () => {
    const urls = Array.from({ length: limits.extractPages.default + 10 }, (_, index) => `a.test/${index}`);
    assert.equal((await extract(urls)).limit, urls.length);
    assert.equal((await extract(['a.test'])).limit, limits.extractPages.default);
  });

  it('are skipped by name if they are something else', async () => {
    const others = [
      'file:///etc/passwd',
      'ftp://a.test/*',
      'https://ada:secret@a.test',
      'https://:secret@a.test',
      'two words',
    ];
    const { stored, invalid } = await extract(['a.test', ...others]);
    assert.deepEqual([stored, invalid], [['https://a.test/'], others]);
    assert.throws(
      () => urlOf('https://ada:secret@a.test'),
      (error) => error instanceof NotDone && !error.message.includes('secret'),
    );
  });

  it('have a limited length', () => {
    const parse = (length: number) =>
      startExtractBody.safeParse({ urls: [`a.test/${'x'.repeat(length - 7)}`], prompt: 'x' });
    assert.ok(parse(limits.url).success);
    assert.match(String(parse(limits.url + 1).error), /at most 8,192 characters/);
  });
});
