import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { repository } from '../../../harness/folders.ts';

describe('output that contains what is found later', () => {
  const streams = pathToFileURL(join(repository, 'src/service/browsers/runners/node/streams.ts')).href;

  /** Runs code with `later`, whose inspection by `console` is found after some milliseconds. Returns what it printed. */
  async function printed(code: string): Promise<{ stdout: string; stderr: string }> {
    const program = `
      import { inspect } from 'node:util';
      import { installStreams, outputIsWritten, printLater } from ${JSON.stringify(streams)};
      installStreams();
      const later = (text, ms = 1) => ({
        [inspect.custom]: (_depth, { isPrinted }) =>
          isPrinted ? printLater(() => new Promise((resolve) => setTimeout(resolve, ms, text)), '(none)') : 'not printed',
      });
      ${code}`;
    return await promisify(execFile)(process.execPath, ['--input-type=module', '-e', program]);
  }

  it('is written in order, once it is there, and only by console', async () => {
    const { stdout, stderr } = await printed(`
      const slow = later('slow', 20), fast = later('fast');
      console.log('first', slow, [fast]);
      console.log(fast);
      console.error('error', fast);
      process.stdout.write('bytes\\n');
      console.log(inspect(fast));
      await outputIsWritten();
      console.log('last');`);
    assert.equal(stdout, 'first slow [\n  fast\n]\nfast\nbytes\nnot printed\nlast\n');
    assert.equal(stderr, 'error fast\n');
  });

  it('shows values as they were when they were printed', async () => {
    const { stdout } = await printed(`const row = { n: 1, later: later('x') }; console.log(row); row.n = 2;`);
    assert.equal(stdout, '{\n  n: 1,\n  later: x\n}\n');
  });

  it('is lost neither when the process exits nor when code goes on for long', async () => {
    const exit = await printed(`console.log(later('x', 100_000)); console.log('after'); process.exit(0);`);
    assert.equal(exit.stdout, '(none)\nafter\n');
    const last = await printed(`process.on('exit', () => console.log(later('x'))); process.exit(0);`);
    assert.equal(last.stdout, '(none)\n');
    // The process kills itself, so that nothing is written at its end.
    const busy = await printed(`
      console.log(later('x'));
      for (const end = performance.now() + 700; performance.now() < end; );
      console.log('working');
      process.kill(process.pid, 'SIGKILL');`).catch((error: { stdout: string }) => error);
    assert.equal(busy.stdout, '(none)\nworking\n');
  });

  it('never reaches code that replaces the streams, and has at most so many at once', async () => {
    const { stdout } = await printed(`
      const { write } = process.stdout;
      let taken = '';
      process.stdout.write = (text) => { taken += text; return true; };
      console.log(later('x'));
      process.stdout.write = write;
      console.log(taken.trim());
      for (let n = 0; n < 150; n++) console.log(later('y'));`);
    const lines = stdout.trim().split('\n');
    assert.equal(lines[0], '(none)');
    assert.deepEqual([lines.slice(1, 101).every((line) => line === 'y'), lines.length], [true, 151]);
    assert.equal(lines.at(-1), '(none)');
  });
});
