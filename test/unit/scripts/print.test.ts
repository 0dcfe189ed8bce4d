import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { repository } from '../../harness/folders.ts';

const module = pathToFileURL(join(repository, 'scripts', 'lib', 'print.mjs')).href;

describe('printing a report', () => {
  it('writes all of it into a pipe with a slow reader before the process exits', async () => {
    const text = 'x'.repeat(1_000_000);
    const code = `import { printJson } from '${module}'; await printJson({ text: 'x'.repeat(1_000_000) }); process.exit();`;
    const child = spawn(process.execPath, ['--input-type=module', '-e', code], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await sleep(300);
    let printed = '';
    for await (const chunk of child.stdout) printed += chunk;
    assert.deepEqual(JSON.parse(printed), { text });
  });
});
