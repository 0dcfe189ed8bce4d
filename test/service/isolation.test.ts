import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { hostMarker } from '../../src/service/browsers/sessions/host-folders.ts';
import { findStrays } from '../../src/service/platform/system/stray-processes.ts';
import { eventually, patience } from '../harness/eventually.ts';
import { temporaryFolder } from '../harness/folders.ts';
import { agentBrowserForTests, needs, pythonForTests } from '../harness/runner-tools.ts';
import { call, spawnService, startTestService, type TestService } from '../harness/service.ts';

/** Ample on a slow machine. */
const amply = patience / 1000;
const secret = 'canary-7f3a91';
const otherTeam = { headers: { authorization: 'Bearer other-team-key-0123456789' } };

describe('sessions in a sandbox', () => {
  let service: TestService;
  let site: Server;
  let siteUrl: string;
  /** A session of each team. */
  let id: string;
  let theirs: string;
  let theirDownloads: string;

  needs(pythonForTests, agentBrowserForTests);
  before(async function () {
    const dataDir = temporaryFolder();
    writeFileSync(join(dataDir, 'secret.txt'), `${secret}=1`);
    const { interpreter } = await pythonForTests(() => undefined);
    const agentBrowserPath = join(await agentBrowserForTests(() => undefined), 'agent-browser');
    try {
      service = await startTestService({ isolation: 'bubblewrap', dataDir, pythonPath: interpreter, agentBrowserPath });
    } catch (error) {
      if (!(error as Error).message.startsWith("Sessions can't be isolated")) throw error;
      console.log(`    skipped: ${(error as Error).message}`);
      rmSync(dataDir, { recursive: true, force: true });
      this.skip();
    }
    // 127.0.0.1 is the sandbox itself.
    site = createServer(({ url = '' }, response) => {
      if (url === '/file')
        return void response.setHeader('content-disposition', 'attachment; filename=a.txt').end('content');
      response.setHeader('content-type', 'text/html');
      response.end(
        `<title>${url}</title><script>localStorage.visits = 1 + Number(localStorage.visits ?? 0)</script><a href=/file>file</a>`,
      );
    });
    await new Promise<void>((resolve) => site.listen(0, '127.0.0.2', resolve));
    siteUrl = `http://127.0.0.2:${(site.address() as AddressInfo).port}`;
    id = (await service.call('POST', '/v2/browser', {})).body.id;
    const created = await service.call('POST', '/v2/browser', {}, otherTeam);
    theirs = created.body.id;
    const listed = await service.call('GET', '/v2/browser', undefined, otherTeam);
    theirDownloads = listed.body.sessions[0].downloads;
    writeFileSync(join(theirDownloads, 'theirs.txt'), secret);
  });
  after(async () => {
    site?.close();
    await service?.close();
    if (service) rmSync(service.dataDir, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
  });

  const run = async (language: string, code: string, timeout = amply, session = id) => {
    const { status, body } = await service.call('POST', `/v2/browser/${session}/execute`, { code, language, timeout });
    assert.equal(status, 200, JSON.stringify(body));
    return body as {
      result: string;
      stdout: string;
      stderr: string;
      error?: string;
      exitCode: number;
      killed: boolean;
    };
  };
  const result = async (language: string, code: string) => {
    const outcome = await run(language, code);
    assert.equal(outcome.error, undefined, outcome.stderr);
    return outcome.result;
  };
  const othersAnswer = async () => {
    const { body } = await service.call(
      'POST',
      `/v2/browser/${theirs}/execute`,
      { code: '6 * 7', timeout: amply },
      otherTeam,
    );
    assert.equal(body.result, '42', JSON.stringify(body));
  };

  it('run node, python and bash on one page, reach the web and save downloads', async () => {
    assert.equal(await result('node', `await page.goto('${siteUrl}/page'); await page.title()`), '/page');
    assert.equal(await result('python', 'await page.title()'), '/page');
    assert.equal(await result('bash', 'agent-browser get title'), '/page');
    const download = `const [file] = await Promise.all([page.waitForEvent('download'), page.click('a')]);
      await file.saveAs('copy.txt'); require('node:fs').readFileSync('copy.txt', 'utf8')`;
    assert.equal(await result('node', download), 'content');
    assert.equal(await result('bash', 'cat copy.txt'), 'content');
    assert.equal(await result('node', `(await fetch('${siteUrl}/fetched')).status`), '200');
    assert.equal(
      await result('python', `from urllib.request import urlopen; urlopen('${siteUrl}/opened').status`),
      '200',
    );
  });

  it('see neither the data directory, nor the files of others, nor the environment of the service', async () => {
    const { dataDir } = service;
    const folders = readdirSync(join(dataDir, 'browsers'));
    const [own, ...others] = folders.filter((name) => !theirDownloads.endsWith(name));
    assert.deepEqual(others, []);
    const look = `ls -a "${dataDir}" "${dataDir}/browsers" | xargs`;
    assert.equal(
      await result('bash', look),
      `${dataDir}: . .. agent-browser browsers downloads ${dataDir}/browsers: . .. ${own}`,
    );
    for (const path of [
      join(dataDir, 'secret.txt'),
      join(dataDir, 'webdata.sqlite'),
      join(theirDownloads, 'theirs.txt'),
      '/etc/shadow',
      join(homedir(), '.ssh'),
      `/proc/${process.pid}/environ`,
    ]) {
      const read = `require('node:fs').statSync(${JSON.stringify(path)})`;
      assert.match((await run('node', read)).error ?? '', /ENOENT|EACCES/, path);
    }
    const all = await result('bash', `cat /proc/[0-9]*/environ /proc/[0-9]*/cmdline | tr '\\0' '\\n'; env`);
    for (const hidden of [secret, 'test-key', 'other-team']) assert.ok(!all.includes(hidden), hidden);
    const browse = `await page.goto('file://${dataDir}/secret.txt').then(() => page.content(), (error) => error.message)`;
    assert.doesNotMatch(await result('node', browse), new RegExp(secret));
  });

  it('change nothing outside their session, and signal no process of the machine', async () => {
    for (const path of ['/usr/x', '/etc/x', '/x', '/dev/x', '/proc/sys/kernel/hostname', join(service.dataDir, 'x')]) {
      const write = `require('node:fs').writeFileSync(${JSON.stringify(path)}, 'x')`;
      assert.match((await run('node', write)).error ?? '', /EROFS|EACCES|ENOENT|EPERM/, path);
      if (!path.startsWith('/proc')) assert.ok(!existsSync(path), path);
    }
    const kill = `try { process.kill(${process.pid}, 'SIGTERM'); 'sent' } catch (error) { error.code }`;
    assert.equal(await result('node', kill), 'ESRCH');
    assert.notEqual(await result('bash', 'id -u'), '0');
    const rights = `grep -E '^(CapEff|NoNewPrivs)' /proc/self/status | xargs`;
    assert.equal(await result('bash', rights), 'CapEff: 0000000000000000 NoNewPrivs: 1');
    const created = 'unshare --user --map-root-user --mount true; unshare --user true; echo done';
    const namespaces = await run('bash', `(${created}) 2>&1`);
    assert.equal(namespaces.stdout.match(/unshare failed/g)?.length, 2, namespaces.stdout);
    await run('bash', 'kill -KILL -1');
    await othersAnswer();
    assert.equal(await result('bash', 'echo again'), 'again');
  });

  it('have no downloads put outside their session by a CDP client (CDP-08)', async () => {
    const named = join(temporaryFolder(), 'named');
    try {
      const code = `await page.goto('${siteUrl}/page');
        const client = await page.context().browser().newBrowserCDPSession();
        const downloadPath = ${JSON.stringify(named)};
        await client.send('Browser.setDownloadBehavior', { behavior: 'allowAndName', downloadPath, eventsEnabled: true });
        const ended = new Promise((done) => client.on('Browser.downloadProgress', ({ state }) => state === 'completed' && done(state)));
        await page.click('a'); await ended`;
      assert.equal(await result('node', code), 'completed');
      assert.ok(!existsSync(named));
    } finally {
      rmSync(dirname(named), { recursive: true });
    }
  });

  it('reach no metadata address, and nothing of the machine but their own connection to the service', async () => {
    for (const url of [
      'http://169.254.169.254/latest',
      'http://metadata.google.internal/',
      `http://127.0.0.2:${service.port}/`,
    ]) {
      assert.match(
        await result('node', `await fetch('${url}').then((r) => r.status, (error) => error.message)`),
        /failed|502|403/,
        url,
      );
      assert.match(
        await result('node', `await page.goto('${url}').then(() => 'loaded', (error) => error.message)`),
        /net::ERR/,
        url,
      );
    }
    const connect = (
      host: string,
      port: number,
    ) => `await new Promise((done) => require('node:net').connect(${port}, '${host}')
      .on('connect', () => done('connected')).on('error', (error) => done(error.code)))`;
    const { port } = site.address() as AddressInfo;
    assert.equal(await result('node', connect('169.254.169.254', 80)), 'ENETUNREACH');
    assert.equal(await result('node', connect('127.0.0.2', port)), 'ECONNREFUSED');
    const unauthorized = `await fetch('http://127.0.0.1:${service.port}/v2/browser').then((r) => r.status)`;
    assert.equal(await result('node', unauthorized), '401');
  });

  it('end alone when they start too many processes or take too much memory', async () => {
    const forks = `
import os, time
children = 0
try:
    while children < 5000:
        if os.fork() == 0:
            time.sleep(600)
            os._exit(0)
        children += 1
except BlockingIOError:
    pass
children`;
    const children = Number(await result('python', forks));
    assert.ok(children > 10 && children < 1100, String(children));
    await othersAnswer();
    assert.equal((await service.call('POST', `/embedded/browser/${id}/reset`, { language: 'python' })).status, 200);
    assert.match((await run('python', 'len(bytearray(3 << 30))')).error ?? '', /MemoryError/);
    assert.match((await run('bash', `python3 -c 'bytearray(3 << 30)'`)).stderr, /MemoryError/);
    assert.notEqual((await run('node', 'Buffer.alloc(3 * 2 ** 30).length')).exitCode, 0);
    await othersAnswer();
    for (const language of ['node', 'python']) assert.equal(await result(language, '1 + 1'), '2');
  });

  it('are killed at their timeout, with everything that they started', async () => {
    // Nobody else on this machine sleeps as long.
    const seconds = String(100_000_000 + process.pid);
    const outcome = await run('bash', `(trap "" TERM INT; setsid sleep ${seconds} & ) ; sleep ${seconds}`, 2);
    assert.equal(outcome.killed, true);
    assert.doesNotMatch(await result('bash', 'cat /proc/[0-9]*/cmdline'), new RegExp(`${seconds}\\0?$`, 'm'));
    await eventually(() => assert.deepEqual(sleeping(), []));

    function sleeping(): string[] {
      return readdirSync('/proc').filter((pid) => {
        try {
          return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/cmdline`, 'utf8') === `sleep\0${seconds}\0`;
        } catch {
          return false;
        }
      });
    }
  });

  it('keep profiles from one session to the next', async () => {
    const visits = async () => {
      const created = await service.call('POST', '/v2/browser', { profile: { name: 'kept', saveChanges: true } });
      assert.equal(created.status, 200, JSON.stringify(created.body));
      const code = `await page.goto('${siteUrl}/visit'); await page.evaluate(() => localStorage.visits)`;
      const { result } = await run('node', code, amply, created.body.id);
      assert.equal((await service.call('DELETE', `/v2/browser/${created.body.id}`)).status, 200);
      return result;
    };
    assert.equal(await visits(), '1');
    assert.equal(await visits(), '2');
  });

  it('render scraped pages, with a profile too', async () => {
    for (const options of [{}, { profile: { name: 'kept', saveChanges: false } }]) {
      const request = { url: `${siteUrl}/scraped`, formats: ['rawHtml'], waitFor: 100, ...options };
      const scraped = await service.call('POST', '/v2/scrape', request);
      assert.equal(scraped.status, 200, JSON.stringify(scraped.body));
      assert.match(scraped.body.data.rawHtml, /<title>\/scraped/);
    }
  });

  it('ignore the place of a run, which only a user of the machine may choose', async () => {
    const place = encodeURIComponent(
      JSON.stringify({
        file: join(service.dataDir, 'a.js'),
        directory: service.dataDir,
        envFile: join(service.dataDir, 'secret.txt'),
      }),
    );
    const headers = { 'x-webdata-place': place };
    const { status, body } = await service.call(
      'POST',
      `/v2/browser/${id}/execute`,
      { code: '[process.cwd(), ...Object.keys(process.env)].join()' },
      { headers },
    );
    assert.equal(status, 200);
    assert.ok(body.result.startsWith(join(service.dataDir, 'browsers')) && !body.result.includes(secret), body.result);
  });

  it('leave no process and no folder when they end', async () => {
    const browsers = join(service.dataDir, 'browsers');
    const folders = theirDownloads.split('/').slice(-1);
    const { result: directory } = await run('node', 'process.cwd()');
    folders.push(directory.split('/').at(-2) ?? '');
    for (const folder of folders) assert.notEqual((await findStrays(hostMarker, join(browsers, folder))).length, 0);
    for (const [session, init] of [[id, {}] as const, [theirs, otherTeam] as const])
      assert.equal((await service.call('DELETE', `/v2/browser/${session}`, undefined, init)).status, 200);
    await eventually(async () => {
      for (const folder of folders) {
        assert.deepEqual(await findStrays(hostMarker, join(browsers, folder)), []);
        assert.ok(!existsSync(join(browsers, folder)));
      }
    });
  });
});

describe('a service with sandboxes', () => {
  let dataDir: string;
  beforeEach(() => {
    dataDir = temporaryFolder();
  });
  afterEach(() => rmSync(dataDir, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 }));

  it('says why it does not start where bubblewrap is missing or fails', async () => {
    const bin = join(dataDir, 'bin');
    mkdirSync(bin);
    const args = ['--data-dir', join(dataDir, 'data'), '--isolation', 'bubblewrap'];
    await assert.rejects(
      spawnService(args, { PATH: bin }),
      /exit 1: Sessions can't be isolated: bwrap is not on PATH\. Install.*--isolation none/,
    );
    writeFileSync(join(bin, 'bwrap'), '#!/bin/sh\necho "bwrap: No permissions to create new namespace" >&2\nexit 1\n', {
      mode: 0o755,
    });
    await assert.rejects(
      spawnService(args, { WEBDATA_ISOLATION: '', PATH: bin }),
      /exit 1: Sessions can't be isolated: .*No permissions to create new namespace/,
    );
  });

  it('takes its sandboxes with it when it is killed', async function () {
    const args = ['--data-dir', dataDir, '--spare-browsers', '0'];
    const started = await spawnService(args, { WEBDATA_ISOLATION: 'bubblewrap' }).catch((error: Error) => {
      if (!error.message.includes("can't be isolated")) throw error;
      console.log(`    skipped: ${error.message}`);
      return undefined;
    });
    if (!started) return this.skip();
    const { child, line, exited } = started;
    const created = await call(line.baseUrl, line.apiKey ?? '', 'POST', '/v2/browser', {});
    assert.equal(created.status, 200, JSON.stringify(created.body));
    const { body } = await call(line.baseUrl, line.apiKey ?? '', 'POST', `/v2/browser/${created.body.id}/execute`, {
      code: '1 + 1',
      timeout: amply,
    });
    assert.equal(body.result, '2', JSON.stringify(body));
    const strays = () => findStrays(hostMarker, join(dataDir, 'browsers'));
    assert.notEqual((await strays()).length, 0);
    child.kill('SIGKILL');
    await exited;
    await eventually(async () => assert.deepEqual(await strays(), []));
  });
});
