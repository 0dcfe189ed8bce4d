import assert from 'node:assert/strict';
import { browserCandidates, findBrowser, type Machine, requireBrowser } from '../../../scripts/lib/browser.mjs';

function machine(platform: string, env: Machine['env'], installed: string[]): Machine {
  return { platform, env, home: '/home/u', isExecutable: (path) => installed.includes(path) };
}

describe('finding an installed browser', () => {
  it('prefers Chrome to Chromium, wherever they are on PATH', () => {
    const both = ['/usr/bin/chromium', '/opt/bin/google-chrome'];
    assert.equal(findBrowser(machine('linux', { PATH: '/usr/bin:/opt/bin' }, both)), '/opt/bin/google-chrome');
  });

  it('finds Edge and Brave', () => {
    for (const path of ['/usr/bin/microsoft-edge-stable', '/usr/bin/brave-browser']) {
      assert.equal(findBrowser(machine('linux', { PATH: '/bin:/usr/bin' }, [path])), path);
    }
  });

  it('finds a macOS application, also in the home folder', () => {
    const path = '/home/u/Applications/Brave Browser.app/Contents/MacOS/Brave Browser';
    assert.equal(findBrowser(machine('darwin', {}, [path])), path);
  });

  it('finds a Windows program', () => {
    const path = 'C:\\Program Files (x86)\\Microsoft\\Edge\\Application\\msedge.exe';
    assert.equal(findBrowser(machine('win32', { 'PROGRAMFILES(X86)': 'C:\\Program Files (x86)' }, [path])), path);
  });

  it('searches nowhere else if CHROME_PATH is set', () => {
    const set = machine('linux', { CHROME_PATH: '/nowhere/chrome', PATH: '/usr/bin' }, ['/usr/bin/chromium']);
    assert.deepEqual(browserCandidates(set), ['/nowhere/chrome']);
    assert.throws(() => requireBrowser(set), {
      message: /^CHROME_PATH is \/nowhere\/chrome, .*not an executable file/,
    });
  });

  it('says in one line what to install if there is none', () => {
    assert.throws(() => requireBrowser(machine('linux', {}, [])), {
      message: /^No browser found\. Install Chrome.*CHROME_PATH[^\n]*$/,
    });
  });
});
