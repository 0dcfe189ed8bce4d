import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { patience } from '../harness/eventually.ts';
import { endedRun } from '../harness/run-results.ts';
import { statusItem } from '../harness/sidebar.ts';
import { startWorkbench, type Workbench } from '../harness/workbench.ts';
import { runCommand } from '../harness/workbench-actions.ts';

/** Milliseconds for a run, the start of the service and of a browser included. */
const RUN = patience;

describe('a proxy configured in VS Code for everything', () => {
  let workbench: Workbench;
  let folder: string;
  let proxy: Server;
  const heard: string[] = [];
  before(async () => {
    proxy = createServer((request, response) => {
      heard.push(`${request.method} ${request.url} ${JSON.stringify(request.headers)}`);
      response.writeHead(502).end();
    });
    proxy.on('connect', (request, socket) => {
      heard.push(`CONNECT ${request.url}`);
      socket.end();
    });
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
    const settings = { 'http.proxy': url, 'http.proxySupport': 'override' };
    folder = mkdtempSync(join(tmpdir(), 'webdata-proxy-'));
    writeFileSync(join(folder, 'sum.js'), `console.log('here'); 1 + 1`);
    workbench = await startWorkbench({
      folder,
      file: join(folder, 'sum.js'),
      settings,
      machineSettings: settings,
      env: { HTTP_PROXY: url, HTTPS_PROXY: url, NO_PROXY: '', NODE_USE_ENV_PROXY: '1' },
    });
    await statusItem(workbench.page).waitFor({ timeout: RUN });
  });
  after(async () => {
    await workbench?.close();
    proxy?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it("isn't used for the embedded service, neither calls nor the link (PRT-04)", async () => {
    await runCommand(workbench.page, 'Web Data: Run File');
    const run = await endedRun(workbench.page, RUN);
    assert.deepEqual([run.state, run.result, run.stdout], ['ok', '2', 'here\n'], run.error);
    assert.deepEqual(
      heard.filter((line) => /127\.0\.0\.1|localhost|authorization|\/v2\/|\/embedded\//i.test(line)),
      [],
    );
  });
});
