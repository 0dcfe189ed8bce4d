import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createBashRunner } from '../../../src/service/browsers/runners/bash/bash.ts';
import { agentBrowserForTests, needs } from '../../harness/runner-tools.ts';
import { useRunner } from '../../harness/runners.ts';

describe('bash runner: in a project', () => {
  needs(agentBrowserForTests);
  const fixture = useRunner((options) => createBashRunner({ ...options, agentBrowser: agentBrowserForTests }));
  let folder: string;
  let file: string;
  before(() => {
    folder = realpathSync(mkdtempSync(join(tmpdir(), "webdata 'project' ")));
    mkdirSync(join(folder, 'src'));
    file = join(folder, 'src', 'main.sh');
    writeFileSync(join(folder, 'src', 'helper.sh'), 'double() { echo $(($1 * 2)); }\n');
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  const run = (code: string, environment = {}) =>
    fixture.run(code, { place: { file, directory: folder, environment } });
  const output = async (code: string, environment = {}) => (await run(code, environment)).stdout.trim();

  it('runs in the directory, and finds files beside its own', async () => {
    assert.equal(await output('pwd'), folder);
    assert.equal(await output('source "$(dirname "$0")/helper.sh"; double 2'), '4');
    await run('echo "[1]" > out.json');
    assert.equal(readFileSync(join(folder, 'out.json'), 'utf8'), '[1]\n');
    assert.equal(await output('cd src'), '');
    assert.equal(await output('basename "$PWD"'), 'src');
  });

  it('sets the environment of the run, and removes variables that are gone', async () => {
    const code = 'echo "$SHOP $HOME"';
    const before = await output(code);
    assert.equal(
      await output(code, { SHOP: "tea's\nbest", HOME: '/nowhere', UID: '7', 'not-a-name': '1' }),
      "tea's\nbest /nowhere",
    );
    assert.equal(await output(code), before);
    assert.equal((await run('set -e; true', { UID: '7' })).exitCode, 0);
    assert.equal(await output('echo fine; set +e', { EUID: '8' }), 'fine');
  });

  it('names the line of the snippet in errors', async () => {
    const { stderr } = await run('\nno-such-command');
    assert.match(stderr, /\/src\/main\.sh: line 2: no-such-command: /);
    assert.match((await fixture.run('\nno-such-command')).stderr, /^snippet\.sh: line 2: /);
  });
});
