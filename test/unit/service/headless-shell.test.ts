import assert from 'node:assert/strict';
import { findHeadlessShell, type Machine } from '../../../src/service/browsers/chrome/find.ts';

describe('the headless shell', () => {
  const machine = (platform: NodeJS.Platform, env: NodeJS.ProcessEnv, ...files: string[]): Machine => ({
    platform,
    env,
    home: '/home/x',
    isExecutable: (path) => files.includes(path),
  });

  it('is found on PATH, but not in the current folder', () => {
    const shell = '/opt/bin/chrome-headless-shell';
    assert.equal(findHeadlessShell(undefined, machine('linux', { PATH: '/bin:/opt/bin' }, shell)), shell);
    const inCurrent = machine('linux', { PATH: '.:bin' }, './headless_shell', 'bin/headless_shell');
    assert.equal(findHeadlessShell(undefined, inCurrent), undefined);
    const onWindows = machine('win32', { PATH: 'bin;C:\\tools' }, 'C:\\tools\\chrome-headless-shell.exe');
    assert.equal(findHeadlessShell(undefined, onWindows), 'C:\\tools\\chrome-headless-shell.exe');
  });

  it('does not replace a configured browser', () => {
    const installed = '/usr/bin/chromium-headless-shell';
    assert.equal(findHeadlessShell(undefined, machine('linux', {}, installed)), installed);
    assert.equal(findHeadlessShell('/opt/chrome', machine('linux', {}, installed)), undefined);
    assert.equal(findHeadlessShell(undefined, machine('linux', { CHROME_PATH: '/opt/chrome' }, installed)), undefined);
  });
});
