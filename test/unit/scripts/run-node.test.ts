import assert from 'node:assert/strict';
import { fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROOT } from '../../../scripts/lib/repository.mjs';
import { TEST_OPTIONS } from '../../harness/test-options.ts';

describe('the program that runs a suite', function () {
  this.timeout(30_000);
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'webdata-run-node-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  async function run(source: string) {
    const file = join(folder, 'a.test.cjs');
    writeFileSync(file, source);
    const countsFile = join(folder, 'counts.json');
    const options = { files: [file], timeout: 5000, forbidOnly: true, countsFile, outputFile: join(folder, 'output') };
    const child = spawn(process.execPath, [join(ROOT, 'test/harness/run-node.ts')], {
      cwd: ROOT,
      env: { ...process.env, [TEST_OPTIONS]: JSON.stringify(options) },
      stdio: 'ignore',
    });
    const [code] = await once(child, 'exit');
    return { code, counts: existsSync(countsFile) ? JSON.parse(readFileSync(countsFile, 'utf8')) : undefined };
  }

  it('counts passed, failed and skipped tests', async () => {
    const { code, counts } = await run(`describe('d', () => {
      it('a', () => {}); it('b', () => { throw new Error('no'); }); it.skip('c', () => {}); });`);
    assert.deepEqual(counts, { passed: 1, failed: 1, skipped: 1, failures: ['d b'] });
    assert.equal(code, 1);
  });

  it('counts a hook that fails', async () => {
    const { counts } = await run(
      `describe('d', () => { before(() => { throw new Error('no'); }); it('a', () => {}); });`,
    );
    assert.equal(counts.failed, 1);
    assert.equal(counts.passed, 0);
  });

  it('writes no counts if the process exits early', async () => {
    assert.deepEqual(await run(`it('a', () => process.exit(0));`), { code: 0, counts: undefined });
  });

  it('rejects a forgotten only', async () => {
    const { code, counts } = await run(`it.only('a', () => {});`);
    assert.notEqual(code, 0);
    assert.equal(counts, undefined);
  });

  it('runs the files that it is given one after another, and adds up their tests', async () => {
    const files = ['a', 'b'].map((name) => {
      const file = join(folder, `${name}.test.cjs`);
      writeFileSync(file, `it('${name}', () => { ${name === 'b' ? "throw new Error('no');" : ''} });`);
      return file;
    });
    const countsFile = join(folder, 'counts.json');
    const options = { timeout: 5000, forbidOnly: true, countsFile, outputFile: join(folder, 'output') };
    const child = fork(join(ROOT, 'test/harness/run-node.ts'), {
      cwd: ROOT,
      env: { ...process.env, [TEST_OPTIONS]: JSON.stringify(options) },
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    child.on('message', () => child.send({ file: files.shift() }));
    assert.deepEqual(await once(child, 'exit'), [1, null]);
    const counts = JSON.parse(readFileSync(countsFile, 'utf8'));
    assert.deepEqual(counts, { passed: 1, failed: 1, skipped: 0, failures: ['b'] });
  });

  it('fails if tests leave a server listening', async () => {
    const { code, counts } = await run(`it('a', (done) => { require('node:http').createServer().listen(0, done); });`);
    assert.equal(code, 1);
    assert.equal(counts.passed, 1);
    assert.match(counts.failures[0], /left something open: .*TCP/);
  });
});
