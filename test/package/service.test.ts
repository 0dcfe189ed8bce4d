import assert from 'node:assert/strict';
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { packageService } from '../../scripts/lib/package/service-package.ts';
import { eventually } from '../harness/eventually.ts';
import { repository } from '../harness/folders.ts';
import { call } from '../harness/service.ts';
import { startSmallSite } from '../harness/small-site.ts';

const run = promisify(execFile);

describe('the npm package web-data-service', () => {
  let folder: string;
  let installed: string;
  let service: ChildProcess | undefined;
  let exited: Promise<unknown>;
  let line: { event: string; baseUrl: string; apiKey: string };
  let site: Awaited<ReturnType<typeof startSmallSite>>;
  const command = () => join(folder, 'empty', 'node_modules', '.bin', 'web-data-service');
  const ask = (method: string, path: string, body?: object) => call(line.baseUrl, line.apiKey, method, path, body);

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'webdata npm ü 🚀-'));
    const stage = join(folder, 'package');
    await packageService(stage);
    await run('npm', ['pack', '--pack-destination', folder], { cwd: stage });
    const [tarball = ''] = readdirSync(folder).filter((name) => name.endsWith('.tgz'));
    const empty = join(folder, 'empty');
    mkdirSync(empty);
    writeFileSync(join(empty, 'package.json'), '{ "private": true }\n');
    // Offline, with an empty cache: nothing can come from a registry.
    const offline = ['--offline', '--cache', join(folder, 'cache'), '--no-audit', '--no-fund'];
    await run('npm', ['install', ...offline, join(folder, tarball)], { cwd: empty });
    installed = join(empty, 'node_modules', 'web-data-service');
    site = await startSmallSite(['tea', 'coffee']);

    const args = ['--port', '0', '--data-dir', join(folder, 'data')];
    const child = spawn(command(), args, { cwd: empty, stdio: ['ignore', 'pipe', 'inherit'], env: cleanEnvironment() });
    service = child;
    exited = new Promise((resolve) => child.once('close', resolve));
    line = await new Promise((resolve, reject) => {
      child.stdout.setEncoding('utf8').once('data', (text: string) => resolve(JSON.parse(text)));
      child.once('exit', (code) => reject(new Error(`web-data-service exited with code ${code}`)));
    });
  });
  after(async () => {
    service?.kill('SIGTERM');
    await exited;
    await site?.close();
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  });

  it('has no dependencies and no install script', () => {
    const manifest = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'));
    assert.deepEqual(manifest.dependencies ?? {}, {});
    assert.deepEqual(manifest.scripts ?? {}, {});
    assert.equal(manifest.version, JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8')).version);
    assert.deepEqual(
      readdirSync(dirname(installed)).filter((name) => !name.startsWith('.')),
      ['web-data-service'],
    );
    for (const file of ['README.md', 'LICENSE', 'ThirdPartyNotices.txt']) {
      assert.ok(readdirSync(installed).includes(file), file);
    }
  });

  it('contains nothing that only the extension uses', () => {
    const names = readdirSync(join(installed, 'dist'));
    assert.deepEqual(
      names.filter((name) => /^(extension|import-scanner|webhook-receiver|webviews|codicons|schemas)/.test(name)),
      [],
    );
  });

  it('prints its version and its options', async () => {
    const { stdout: version } = await run(command(), ['--version'], { env: cleanEnvironment() });
    assert.equal(version.trim(), JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8')).version);
    const { stdout: help } = await run(command(), ['--help'], { env: cleanEnvironment() });
    assert.match(help, /^Usage: web-data-service \[options\]/);
    for (const option of ['--port', '--api-key', '--data-dir', '--version']) assert.ok(help.includes(option), option);
  });

  it('contains the driver of PostgreSQL and its job queues', async () => {
    const dist = join(installed, 'dist');
    assert.ok(readdirSync(dist).includes('pg-boss.cjs'));
    const args = ['--data-dir', join(folder, 'other'), '--database', 'postgres://127.0.0.1:1/none?connect_timeout=1'];
    const failed = await run(command(), args, { env: cleanEnvironment() }).catch((error) => error);
    assert.match(failed.stderr, /^The database set with --database can't be used: connect ECONNREFUSED/m);
  });

  it('requires its generated key, and listens only on this machine', async () => {
    assert.equal(line.event, 'listening');
    assert.match(line.baseUrl, /^http:\/\/127\.0\.0\.1:\d+$/);
    assert.ok(line.apiKey.length >= 32);
    assert.equal((await call(line.baseUrl, 'wrong-key', 'GET', '/v2/browser')).status, 401);
  });

  it('scrapes a page', async () => {
    const { status, body } = await ask('POST', '/v2/scrape', { url: site.url, formats: ['markdown', 'links'] });
    assert.equal(status, 200, JSON.stringify(body));
    assert.match(body.data.markdown, /\S/);
  });

  it('runs code in a session, and ends it', async () => {
    const session = await ask('POST', '/v2/browser', {});
    assert.equal(session.status, 200, JSON.stringify(session.body));
    const path = `/v2/browser/${session.body.id}`;
    const code = `await page.goto(${JSON.stringify(site.url)}); console.log('opened'); await page.title()`;
    const { body } = await ask('POST', `${path}/execute`, { code });
    assert.equal(body.error, undefined);
    assert.equal(body.stdout, 'opened\n');
    assert.match(body.result, /\S/);
    assert.equal((await ask('DELETE', path)).status, 200);
  });

  it('crawls a site', async () => {
    const started = await ask('POST', '/v2/crawl', { url: site.url, limit: 3 });
    assert.equal(started.status, 200, JSON.stringify(started.body));
    const ended = await eventually(async () => {
      const { body } = await ask('GET', `/v2/crawl/${started.body.id}`);
      assert.notEqual(body.status, 'scraping');
      return body;
    });
    assert.equal(ended.status, 'completed');
    assert.ok(ended.data.length >= 2, `${ended.data.length} pages`);
  });
});

/** Without what would lead Node.js or the service to this repository. */
function cleanEnvironment(): NodeJS.ProcessEnv {
  const { NODE_PATH: _nodePath, WEBDATA_API_KEYS: _keys, ...env } = process.env;
  // The Node of the tests, whatever else is on PATH.
  const path = [dirname(process.execPath), env.PATH].join(delimiter);
  return { ...env, PATH: path, WEBDATA_LOG_LEVEL: 'warn' };
}
