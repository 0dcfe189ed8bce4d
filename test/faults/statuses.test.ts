import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Endpoint, endpoints } from '../../src/contract/endpoints.ts';
import { startFaultySite, status } from '../harness/faulty-site.ts';
import { repository } from '../harness/folders.ts';
import { startTestService, type TestService } from '../harness/service.ts';

describe('statuses', () => {
  let service: TestService;
  before(async () => {
    service = await startTestService();
  });
  after(() => service.close());

  it('F14: of whatever is wrong with a request are declared, and have a body with success: false', async () => {
    const { paths } = JSON.parse(readFileSync(join(repository, 'docs', 'openapi.json'), 'utf8'));
    const strange: [what: string, path: (path: string) => string, init: RequestInit][] = [
      ['a long id', (path) => path.replace('missing', 'x'.repeat(200)), {}],
      ['a bad escape', (path) => path.replace('missing', '%zz'), {}],
      ['an unknown id', (path) => path, {}],
      ['a long query', (path) => `${path}?x=${'y'.repeat(20_000)}`, {}],
      ['no key', (path) => path, { headers: { authorization: '' } }],
      ['a foreign origin', (path) => path, { headers: { origin: 'https://evil.example' } }],
      ['a form', (path) => path, { headers: { 'content-type': 'text/plain' }, body: 'a=b' }],
      ['a huge body', (path) => path, { headers: { 'content-type': 'application/json' }, body: ' '.repeat(11e6) }],
      ['bad JSON', (path) => path, { headers: { 'content-type': 'application/json' }, body: '{' }],
      ['an unknown field', (path) => path, { headers: { 'content-type': 'application/json' }, body: '{"no":1}' }],
    ];
    for (const entry of Object.values<Endpoint>(endpoints)) {
      const declared = Object.keys(paths[entry.path.replace(/:(\w+)/g, '{$1}')][entry.method.toLowerCase()].responses);
      for (const [what, pathOf, init] of strange) {
        if (init.body !== undefined && entry.method === 'GET') continue;
        const path = pathOf(entry.path.replace(/:\w+/g, 'missing'));
        // A connection that the service closes early may fail before the response is read.
        const answer = await service
          .call(entry.method, path, undefined, init)
          .catch((error: Error) =>
            what === 'a huge body' ? undefined : assert.fail(`${entry.method} ${path}: ${error}`),
          );
        if (!answer) continue;
        const message = `${what}, ${entry.method} ${entry.path}: ${answer.status} ${JSON.stringify(answer.body)}`;
        assert.ok(declared.includes(String(answer.status)), message);
        if (answer.status >= 400) assert.equal(answer.body.success, false, message);
      }
    }
  });

  it('F14: without a page by definition are the result of a render as of a fetch', async () => {
    const site = await startFaultySite();
    try {
      for (const code of [204, 205, 304]) {
        site.answer(`/${code}`, status(code));
        for (const waitFor of [0, 1]) {
          const { body } = await service.call('POST', '/v2/scrape', { url: `${site.baseUrl}/${code}`, waitFor });
          assert.equal(body.data?.metadata.statusCode, code, JSON.stringify(body));
          assert.equal(body.data.markdown, '');
        }
      }
    } finally {
      await site.close();
    }
  });
});
