import assert from 'node:assert/strict';
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { closeSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { join } from 'node:path';
import { type Browser, chromium } from 'playwright-core';
import { WebSocket } from 'ws';
import { findChrome } from '../../src/service/browsers/chrome/find.ts';
import { eventually } from '../harness/eventually.ts';
import { repository, temporaryFolder } from '../harness/folders.ts';
import { freePort } from '../harness/free-port.ts';
import { patient } from '../harness/patient.ts';
import { selfSigned } from '../harness/self-signed.ts';
import { startTestService, type TestService, testKey } from '../harness/service.ts';
import { type SmallSite, startSmallSite } from '../harness/small-site.ts';

describe('a service behind the TLS proxy of deploy/nginx.conf', () => {
  let folder: string;
  let publicUrl: string;
  let service: TestService;
  let site: SmallSite;
  let nginx: ChildProcess | undefined;
  let exited: Promise<unknown> | undefined;
  const log = () => readFileSync(join(folder, 'nginx.log'), 'utf8');

  before(async function () {
    if (spawnSync('nginx', ['-v']).error) {
      console.log('    nginx is not installed (Debian: apt install nginx-light)');
      return this.skip();
    }
    folder = temporaryFolder();
    site = await startSmallSite(['one']);
    const port = await freePort();
    publicUrl = `https://127.0.0.1:${port}`;
    service = await startTestService({ publicUrl });
    // A file, since nginx opens /dev/stdout, which it can't if that is a socket.
    const output = openSync(join(folder, 'nginx.log'), 'a');
    nginx = spawn('nginx', ['-c', configure(port), '-e', 'stderr', '-g', 'daemon off;'], {
      stdio: ['ignore', output, output],
    });
    exited = new Promise((resolve) => nginx?.once('close', resolve));
    closeSync(output);
    await eventually(async () => {
      const ready = await call('GET', '/health/ready').catch((error: Error) =>
        assert.fail(`${error.message} ${log()}`),
      );
      assert.equal(ready.status, 200);
    });
  });
  after(async () => {
    nginx?.kill('SIGTERM');
    await exited;
    await service?.close();
    await site?.close();
    if (folder) rmSync(folder, { recursive: true, force: true });
  });

  /** Writes the configuration with addresses and paths of this test in place of those of the containers. */
  function configure(port: number): string {
    let config = readFileSync(join(repository, 'deploy', 'nginx.conf'), 'utf8');
    const [certificate, key] = [join(folder, 'fullchain.pem'), join(folder, 'privkey.pem')];
    writeFileSync(certificate, selfSigned.cert);
    writeFileSync(key, selfSigned.key, { mode: 0o600 });
    const places = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
    const changes: [from: string, to: string][] = [
      ['/etc/nginx/certs/fullchain.pem', certificate],
      ['/etc/nginx/certs/privkey.pem', key],
      ['/var/run/nginx.pid', join(folder, 'nginx.pid')],
      ['listen 443 ssl;', `listen 127.0.0.1:${port} ssl;`],
      ['    server node1:4000;\n    server node2:4000;\n', `    server 127.0.0.1:${service.port};\n`],
      ['worker_processes auto;', `worker_processes 1;\nuser ${process.env.USER ?? 'root'};`],
      ['http {\n', `http {\n${places.map((name) => `  ${name}_temp_path ${join(folder, name)};\n`).join('')}`],
    ];
    for (const [from, to] of changes) {
      assert.equal(config.split(from).length, 2, from);
      config = config.replace(from, () => to);
    }
    const file = join(folder, 'nginx.conf');
    writeFileSync(file, config);
    return file;
  }

  // biome-ignore lint/suspicious/noExplicitAny: tests read fields of responses that they have just requested
  function call(method: string, path: string, body?: object): Promise<{ status: number; body: any; id: string }> {
    return new Promise((resolve, reject) => {
      const headers = {
        authorization: `Bearer ${testKey}`,
        ...(body && { 'content-type': 'application/json' }),
      };
      const sent = request(publicUrl + path, { method, headers, ca: selfSigned.cert }, (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (part: string) => {
          text += part;
        });
        response.once('end', () => {
          const isJson = response.headers['content-type']?.startsWith('application/json');
          const id = String(response.headers['x-request-id']);
          resolve({ status: response.statusCode ?? 0, body: isJson ? JSON.parse(text) : text, id });
        });
      });
      sent.once('error', reject).end(body && JSON.stringify(body));
    });
  }

  it('scrapes', async () => {
    const { status, body } = await call('POST', '/v2/scrape', { url: site.url });
    assert.equal(status, 200);
    assert.match(body.data.markdown, /All about Home/);
  });

  it('is not asked for metrics, and answers with the ID that the proxy logs', async () => {
    assert.equal((await call('GET', '/metrics')).status, 404);
    const { id } = await call('GET', '/v2/browser');
    await eventually(() => assert.ok(log().includes(` GET 200 `) && log().includes(id)));
  });

  it('serves sessions: their CDP connection and their live view', async () => {
    const { body: session } = await call('POST', '/v2/browser', {});
    assert.ok(session.cdpUrl.startsWith(publicUrl.replace('https', 'wss')));
    const socket = new WebSocket(session.cdpUrl, { ca: selfSigned.cert });
    await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
    const answer = new Promise<string>((resolve) => socket.once('message', (data) => resolve(String(data))));
    socket.send(JSON.stringify({ id: 1, method: 'Browser.getVersion' }));
    assert.match(await answer, /"product":"/);
    socket.close();

    let viewer: Browser | undefined;
    try {
      const executablePath = findChrome().path ?? '';
      viewer = await chromium.launch({ executablePath, chromiumSandbox: process.getuid?.() !== 0 });
      const page = patient(await viewer.newPage({ ignoreHTTPSErrors: true }));
      await page.goto(session.liveViewUrl);
      await page.waitForFunction(() => Number(document.querySelector<HTMLElement>('#app')?.dataset.frames) > 0);
    } finally {
      await viewer?.close();
    }
    await call('DELETE', `/v2/browser/${session.id}`);
    for (const url of [session.cdpUrl, session.liveViewUrl])
      assert.ok(!log().includes(url.split('/').at(-1)), 'no secret is in the log of the proxy');
  });
});
