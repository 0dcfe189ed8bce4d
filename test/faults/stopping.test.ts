import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { modelVariables } from '../../src/service/platform/language-model/models.ts';
import { chromeOf, processesOf } from '../harness/chrome-processes.ts';
import { eventually } from '../harness/eventually.ts';
import { startFaultySite } from '../harness/faulty-site.ts';
import { temporaryFolder } from '../harness/folders.ts';
import { startScriptedModel } from '../harness/scripted-model.ts';
import { call, type ServiceProcess, spawnService } from '../harness/service.ts';

describe('the end of the service', () => {
  // What it waited for in the past takes longer.
  let dataDir: string;
  let service: ServiceProcess | undefined;
  const start = async (args: string[], env: NodeJS.ProcessEnv = {}) => {
    service = await spawnService(['--data-dir', dataDir, '--spare-browsers', '0', ...args], env);
    const { baseUrl, apiKey } = service.line;
    return (method: string, path: string, body?: unknown) => call(baseUrl, apiKey ?? '', method, path, body);
  };
  beforeEach(() => {
    dataDir = temporaryFolder();
  });
  afterEach(async () => {
    service?.child.kill('SIGKILL');
    await service?.exited;
    rmSync(dataDir, { recursive: true, force: true, maxRetries: 5 });
  });

  it('F13: waits for no render, model call or install, and takes their processes with it', async () => {
    const model = await startScriptedModel();
    const site = await startFaultySite();
    // An interpreter whose installs never end.
    const python = join(dataDir, 'python');
    writeFileSync(python, '#!/bin/sh\ncase "$1" in -c) echo "3.12 False";; *) sleep 600;; esac\n', { mode: 0o755 });
    try {
      model.script(() => 'silence');
      const request = await start(['--python', python], {
        [modelVariables.baseUrl]: model.baseUrl,
        [modelVariables.model]: 'scripted',
      });
      site.answer('/page', '<main><h1>Page</h1><p>Words.</p></main>');
      const { id } = (await request('POST', '/v2/browser', {})).body;
      const pending = [
        request('POST', `/v2/browser/${id}/execute`, { language: 'python', code: '1', timeout: 300 }),
        request('POST', '/v2/scrape', {
          url: `${site.baseUrl}/page`,
          timeout: 300_000,
          formats: [{ type: 'json', prompt: 'the heading' }],
        }),
        ...Array.from({ length: 20 }, () =>
          request('POST', '/v2/scrape', { url: `${site.baseUrl}/page`, waitFor: 60_000, timeout: 300_000 }),
        ),
      ].map((each) => each.catch(() => undefined));
      await eventually(() => {
        assert.equal(model.requests.length, 1);
        assert.ok(site.requests.length >= 3);
      });
      const pip = (await processesOf(dataDir)).length;
      assert.ok(pip > 2);
      service?.child.kill('SIGTERM');
      assert.deepEqual(await service?.exited, { code: 0, signal: null });
      assert.deepEqual(await processesOf(dataDir), []);
      await Promise.all(pending);
    } finally {
      await site.close();
      await model.close();
    }
  });

  it("F13: leaves nothing of a killed Chrome in the system's temporary folder", async () => {
    // The system's own is used by other tests meanwhile. Short, since the paths of sockets in it are limited.
    const temporary = mkdtempSync(join(tmpdir(), 'f-'));
    const request = await start([], { TMPDIR: temporary });
    const { id } = (await request('POST', '/v2/browser', {})).body;
    const folders = () => readdirSync(temporary).filter((name) => /^webdata-\d/.test(name));
    assert.ok(folders().length > 0);
    process.kill(await chromeOf(dataDir), 'SIGKILL');
    assert.equal((await request('DELETE', `/v2/browser/${id}`)).status, 200);
    const isEmpty = (name: string) => readdirSync(join(temporary, name)).length === 0;
    await eventually(() => assert.ok(folders().some(isEmpty)));
    service?.child.kill('SIGTERM');
    await service?.exited;
    assert.deepEqual(folders(), []);
    rmSync(temporary, { recursive: true });
  });

  it('F1: is not a fault that nothing has caught: it is logged, and sessions go on', async () => {
    const fault = fileURLToPath(new URL('../harness/fault-on-signal.cjs', import.meta.url));
    const request = await start([], { NODE_OPTIONS: `--require=${fault}` });
    const { id } = (await request('POST', '/v2/browser', {})).body;
    service?.child.kill('SIGUSR2');
    await eventually(() => {
      assert.match(service?.stderr() ?? '', /an injected exception/);
      assert.match(service?.stderr() ?? '', /an injected rejection/);
    });
    const { body } = await request('POST', `/v2/browser/${id}/execute`, { code: '6 * 7' });
    assert.equal(body.result, '42');
  });

  it('F1: is a fault that repeats: the service stops, and says why', async () => {
    const fault = fileURLToPath(new URL('../harness/fault-on-signal.cjs', import.meta.url));
    await start([], { NODE_OPTIONS: `--require=${fault}` });
    let faults = 0;
    while (service?.child.exitCode === null && !/unexpected errors repeat/.test(service.stderr())) {
      service.child.kill('SIGUSR2');
      faults += 2;
      await eventually(() => {
        const logged = service?.stderr().match(/an unexpected error"/g)?.length ?? 0;
        assert.ok(logged >= faults || service?.child.exitCode !== null);
      });
    }
    assert.equal((await service?.exited)?.signal, null);
    assert.match(service?.stderr() ?? '', /unexpected errors repeat: the service stops/);
  });
});
