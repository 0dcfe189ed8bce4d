import assert from 'node:assert/strict';
import { appendFileSync, globSync, rmSync, symlinkSync, truncateSync } from 'node:fs';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { join } from 'node:path';
import { downloadUrl } from '../../../src/contract/sessions/live-view-wire.ts';
import { openViewer, type TestViewer, until } from '../../harness/live-viewer.ts';
import { chosenBrowsers, startTestService, type TestService } from '../../harness/service.ts';

const report = Buffer.alloc(300_000, 'report ');

describe('downloads in the live view', () => {
  let service: TestService;
  let site: Server;
  let session: { id: string; liveViewUrl: string; interactiveLiveViewUrl: string };
  let viewer: TestViewer;
  let slow: ServerResponse | undefined;
  before(async () => {
    site = createServer((request, response) => {
      if (request.url === '/') return void response.setHeader('content-type', 'text/html').end('<title>Files</title>');
      if (request.url === '/favicon.ico') return void response.writeHead(404).end();
      response.setHeader('content-disposition', `attachment; filename*=UTF-8''J%C3%A4hrlich.pdf`);
      response.setHeader('content-length', report.byteLength);
      if (request.url === '/fast') return void response.end(report);
      response.write(report.subarray(0, 100_000));
      slow = response;
    });
    await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
    service = await startTestService(chosenBrowsers);
  });
  beforeEach(async () => {
    session = (await service.call<typeof session>('POST', '/v2/browser', {})).body;
    await run(`await page.goto('${origin()}/'); 1`);
    slow = undefined;
    viewer = await openViewer(session.interactiveLiveViewUrl);
  });
  afterEach(async () => {
    await viewer.close();
    await service.call('DELETE', `/v2/browser/${session.id}`);
  });
  after(async () => {
    await service.close();
    site.closeAllConnections();
    site.close();
  });

  const origin = () => `http://127.0.0.1:${(site.address() as AddressInfo).port}`;
  const run = async (code: string) => {
    const { body } = await service.call('POST', `/v2/browser/${session.id}/execute`, { code });
    assert.equal(body.error, undefined);
    return body.result as string;
  };
  const follow = (path: string) => viewer.send({ type: 'navigate', url: origin() + path });
  const newest = () => viewer.told.findLast((message) => message.type === 'downloads')?.downloads.at(-1);
  const reaches = (state: string) =>
    until(() => {
      const download = newest();
      return download?.state === state ? download : undefined;
    }, `a download that is ${state}`);

  it('are said with name and progress, and can be saved as they are', async () => {
    follow('/slow');
    const begun = await until(() => {
      const download = newest();
      return download && download.received > 0 ? download : undefined;
    }, 'progress');
    assert.deepEqual(
      { ...begun, id: '', received: 0 },
      { id: '', name: 'Jährlich.pdf', received: 0, total: 300_000, state: 'inProgress' },
    );
    assert.equal((await fetch(downloadUrl(session.interactiveLiveViewUrl, begun.id))).status, 404, 'not complete yet');
    slow?.end(report.subarray(100_000));
    const { id } = await reaches('completed');
    const response = await fetch(downloadUrl(`${session.interactiveLiveViewUrl}?watch`, id));
    assert.equal(response.headers.get('content-disposition'), "attachment; filename*=UTF-8''J%C3%A4hrlich.pdf");
    assert.deepEqual(Buffer.from(await response.arrayBuffer()), report);
    const later = await openViewer(session.liveViewUrl);
    await later.said('welcome', ({ downloads }) => downloads.some((each) => each.id === id));
    await later.close();
  });

  it('are said if they are canceled', async () => {
    await run(`const [download] = await Promise.all([page.waitForEvent('download'), page.evaluate("location.href = '/slow'")]);
      await download.cancel()`);
    await reaches('canceled');
  });

  it('leave no part if they are not complete when the session ends (BUD-17)', async () => {
    const parts = () => globSync(join(service.dataDir, 'downloads', '*', '*.crdownload'));
    follow('/slow');
    await until(() => ((newest()?.received ?? 0) > 0 && parts().length > 0) || undefined, 'progress');
    await service.call('DELETE', `/v2/browser/${session.id}`);
    assert.deepEqual(parts(), []);
  });

  it('can be saved under the name that a client of the browser gives them, too', async () => {
    await run(`const [download] = await Promise.all([page.waitForEvent('download'), page.evaluate("location.href = '/fast'")]);
      await download.path()`);
    const { id } = await reaches('completed');
    const response = await fetch(downloadUrl(session.interactiveLiveViewUrl, id));
    assert.equal((await response.arrayBuffer()).byteLength, report.byteLength);
  });

  it('are not for the read-only URL, and lead to no other file', async () => {
    follow('/fast');
    const { id } = await reaches('completed');
    assert.equal((await fetch(downloadUrl(session.liveViewUrl, id))).status, 404);
    assert.equal((await fetch(downloadUrl(session.interactiveLiveViewUrl, 'unknown'))).status, 404);
    // The client of the last run named it.
    const [file = ''] = globSync(join(service.dataDir, 'downloads', '*', id));
    rmSync(file);
    symlinkSync(import.meta.filename, file);
    assert.equal((await fetch(downloadUrl(session.interactiveLiveViewUrl, id))).status, 404);
  });

  it('end the connection that they are sent over: code of the session may change them meanwhile (WS-15)', async () => {
    follow('/fast');
    const { id } = await reaches('completed');
    const { sessions } = (await service.call('GET', '/v2/browser')).body;
    const [file = ''] = globSync(join(sessions[0].downloads, '*'));
    for (const change of [() => appendFileSync(file, 'HTTP/1.1 200 OK\r\n\r\n'), () => truncateSync(file, 10)]) {
      truncateSync(file, 30_000_000);
      const { port, pathname } = new URL(downloadUrl(session.interactiveLiveViewUrl, id));
      const socket = connect(Number(port), '127.0.0.1');
      socket.write(`GET ${pathname} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n\r\n`);
      await new Promise((resolve) => socket.once('readable', resolve));
      change();
      const chunks: Buffer[] = [];
      for await (const chunk of socket) chunks.push(chunk);
      const [head = ''] = Buffer.concat(chunks).toString('latin1').split('\r\n\r\n');
      assert.match(head, /^content-length: 30000000$/im);
      assert.match(head, /^connection: close$/im);
    }
  });
});
