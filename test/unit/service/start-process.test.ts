import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { closeSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { repository, temporaryFolder } from '../../harness/folders.ts';

const source = pathToFileURL(join(repository, 'src', 'service', 'platform', 'system', 'start-process.ts'));

/** Starts a shell as the service does, and prints what the shell prints. */
const program = `
  import { text } from 'node:stream/consumers';
  const { startProcess } = await import('${source}');
  const script = 'cat /dev/fd/40; cat /dev/fd/41; cat <&5';
  const child = startProcess('/bin/sh', ['-c', script], { stdio: ['ignore', 'pipe', 'ignore', 'ignore', 'ignore', 'pipe'] });
  child.stdio[5].end('own pipe');
  console.log(await text(child.stdout));`;

describe('a process that the service starts', () => {
  it('EXE-23: has none of the files that were open in what started the service, and all of its own', function () {
    if (process.platform !== 'linux') this.skip();
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'secret'), 'a secret');
    const file = openSync(join(folder, 'secret'), 'r');
    try {
      // Node.js itself passes on none of the first 16, nor those that follow them without a gap.
      const none = Array.from({ length: 40 }, (_, at) => (at === 1 ? 'pipe' : 'ignore'));
      const started = spawnSync(process.execPath, ['--input-type=module', '-e', program], {
        stdio: [...none, file, file],
        encoding: 'utf8',
      });
      assert.equal(started.stdout, 'own pipe\n');
    } finally {
      closeSync(file);
      rmSync(folder, { recursive: true });
    }
  });
});
