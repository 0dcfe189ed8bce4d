import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../../../scripts/lib/repository.mjs';
import { temporaryFolder } from '../../harness/folders.ts';

describe('the program that runs the tests', () => {
  let folder: string;
  beforeEach(() => {
    folder = join(temporaryFolder(), 'test', 'unit');
    mkdirSync(folder, { recursive: true });
  });
  afterEach(() => rmSync(join(folder, '..', '..'), { recursive: true }));

  function runTests(args: string[], env = {}): Promise<{ code: number; output: string }> {
    return new Promise((resolve) => {
      const options = { cwd: ROOT, env: { ...process.env, WEBDATA_TEST_PATIENCE: '5000', ...env } };
      const child = execFile(process.execPath, ['scripts/test.mjs', ...args], options, (_error, stdout, stderr) => {
        resolve({ code: child.exitCode ?? -1, output: stdout + stderr });
      });
    });
  }

  /** Runs files of a suite, given as their sources. */
  function run(...sources: string[]) {
    const files = sources.map((source, index) => {
      const file = join(folder, `${index}.test.ts`);
      writeFileSync(file, source);
      return file;
    });
    return runTests(files);
  }

  it('skips a suite that needs what cannot be had, and says why', async () => {
    const CHROME_PATH = join(folder, 'none');
    const { code, output } = await runTests(['fuzz'], { CHROME_PATH, CI: '' });
    assert.match(output, /^fuzz: skipped, because CHROME_PATH is .*none, which is not an executable file\.$/m);
    assert.match(output, /\n0 passed, 0 failed, 1 skipped\n$/);
    assert.equal(code, 0);
    assert.equal((await runTests(['fuzz'], { CHROME_PATH, CI: 'true' })).code, 1);
  });

  it('passes if all tests passed', async () => {
    const { code, output } = await run(`it('a', () => {});`, `it('b', () => {});`);
    assert.match(output, /\n2 passed, 0 failed\n$/);
    assert.equal(code, 0);
  });

  it('fails if no test ran', async () => {
    const { code, output } = await run('export {};');
    assert.match(output, /Failed:\n {2}unit: no test ran\n/);
    assert.equal(code, 1);
  });

  it('counts failed and skipped tests, and names what failed', async () => {
    const { code, output } = await run(
      `describe('d', () => { it('a', () => {}); it('b', () => { throw new Error('no'); }); it.skip('c', () => {}); });`,
      `describe('e', () => { before(() => { throw new Error('no'); }); it('f', () => {}); });`,
      `it('ends its process', () => process.exit(0));`,
      `it.only('forgotten', () => {});`,
      `it('a'`,
      `it('leaves a server', async () => { (await import('node:http')).createServer().listen(0); });`,
      `it('leaves a process', async () => { const { spawn } = await import('node:child_process');
        spawn(process.execPath, ['-e', 'setTimeout(() => {}, 300_000)'], { detached: true, stdio: 'ignore' }).unref(); });`,
    );
    const [, failed = ''] = output.split('\nFailed:\n');
    const lines = failed.split('\n').map((line) => line.trim());
    for (const failure of [
      /^d b$/,
      /^e "before all" hook/,
      /2\.test\.ts: .*terminated/,
      /3\.test\.ts: .*only.* is not supported/,
      /4\.test\.ts: /,
      /"after all" hook: .*"leaves a server"/,
      // Windows tells nobody the environment of a process.
      ...(process.platform === 'win32' ? [] : [/^unit: left a process running: .*300_000/]),
    ])
      assert.equal(lines.filter((line) => failure.test(line)).length, 1, `${failure} in ${failed}`);
    assert.match(output, /\n3 passed, \d failed, 1 skipped\n$/);
    assert.equal(code, 1);
  });

  it('reports a failure in at most 4,000 characters, with its place and how to repeat it', async () => {
    const { output } = await run(
      `import assert from 'node:assert/strict';
      describe('d', () => {
        it('b (long)', () => assert.equal('x'.repeat(3_000_000), 'y'.repeat(3_000_000), 'z'.repeat(3_000_000)));
        it('c', () => assert.deepEqual({ a: 1 }, { a: 2 }));
      });`,
    );
    assert.ok(output.length < 12_000, `${output.length} characters`);
    const place = String.raw`\S*test/unit/0\.test\.ts:3\n`;
    const again = String.raw` +npm test -- \S*test/unit/0\.test\.ts -g 'd b \\\(long\\\)'\n`;
    const report = new RegExp(String.raw`✖ d b \(long\)\n +${place}${again} +Error: z+ … .* characters left out`);
    assert.match(output, report);
    assert.match(output, /actual: x+ …/);
    assert.match(output, /✖ d c\n[^✖]*\+ +a: 1\n[^✖]*- +a: 2\n/);
    assert.match(output, new RegExp(String.raw`Failed:\n +d b \(long\)\n +${place}${again}`));
  });
});
