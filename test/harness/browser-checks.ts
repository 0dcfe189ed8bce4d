import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestService } from './service.ts';

/** A site that shows who is logged in. */
export interface LoginSite {
  url: string;
  close(): void;
}

export async function startLoginSite(): Promise<LoginSite> {
  const site = createServer((request, response) => {
    if (request.url === '/login') response.setHeader('set-cookie', ['user=ada; Max-Age=86400', 'visit=1']);
    response.setHeader('content-type', 'text/html');
    const script = '<script>document.body.append(" by script")</script>';
    response.end(`<p id="who">${request.headers.cookie ?? 'nobody'}</p>${request.url === '/app' ? script : ''}`);
  });
  await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(site.address() as AddressInfo).port}`,
    close() {
      site.closeAllConnections();
      site.close();
    },
  };
}

/** Creates a session and returns its ID. */
export async function createSession(service: Pick<TestService, 'call'>, body: object = {}): Promise<string> {
  const answer = await service.call('POST', '/v2/browser', body);
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
  return answer.body.id;
}

/** Runs code in a session and returns its result. */
export async function runIn(service: Pick<TestService, 'call'>, id: string, code: string): Promise<string> {
  const { body } = await service.call('POST', `/v2/browser/${id}/execute`, { code });
  assert.equal(body.error, undefined, body.error);
  return body.result;
}

/** Returns code that shows the cookies and the local storage that the site gets. */
export const whoIs = (url: string) =>
  `await page.goto("${url}/"); [await page.textContent("#who"), await page.evaluate("localStorage.getItem('theme')")].join(" | ")`;

/** What holds wherever browsers come from, if each session has its own: it runs code, keeps a profile, and renders pages. */
export async function checkOwnBrowsers(service: TestService, { url }: LoginSite): Promise<void> {
  const first = await createSession(service, { profile: { name: 'shop' } });
  assert.equal(await runIn(service, first, 'context.pages().length + " " + page.url()'), '1 about:blank');
  const login = `await page.goto("${url}/login"); await page.evaluate("localStorage.setItem('theme','dark')"); 6 * 7`;
  assert.equal(await runIn(service, first, login), '42');
  assert.equal((await service.call('DELETE', `/v2/browser/${first}`)).status, 200);

  const second = await createSession(service, { profile: { name: 'shop', saveChanges: false } });
  assert.equal(await runIn(service, second, whoIs(url)), 'user=ada; visit=1 | dark');
  assert.equal(await runIn(service, second, 'context.pages().length'), '1');
  const { body } = await service.call('POST', '/v2/scrape', { url: `${url}/app`, waitFor: 1 });
  assert.match(body.data?.markdown ?? body.error, /nobody.*by script/s);
  await service.call('DELETE', `/v2/browser/${second}`);
}
