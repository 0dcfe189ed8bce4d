import assert from 'node:assert/strict';
import {
  distributionsIn,
  installationOf,
  type Machine,
  type Program,
} from '../../../../src/extension/connection/remedies/install-commands.ts';

const machine = (platform: NodeJS.Platform, programs: string[], rest: Partial<Machine> = {}): Machine => ({
  platform,
  distributions: [],
  isRoot: false,
  has: (program) => programs.includes(program),
  ...rest,
});
const on = (at: Machine) => (program: Program) => installationOf(program, at);

describe('the command that installs a missing program', () => {
  it('is apt on Debian and Ubuntu, with their own name for Chromium', () => {
    const debian = on(machine('linux', ['apt-get', 'sudo'], { distributions: ['debian'] }));
    assert.deepEqual(debian('chrome'), { command: 'sudo apt-get install -y chromium' });
    assert.deepEqual(debian('python'), { command: 'sudo apt-get install -y python3 python3-venv' });
    assert.deepEqual(debian('npm'), { command: 'sudo apt-get install -y npm' });
    const ubuntu = on(machine('linux', ['apt-get', 'sudo'], { distributions: ['ubuntu', 'debian'] }));
    assert.deepEqual(ubuntu('chrome'), { command: 'sudo apt-get install -y chromium-browser' });
  });

  it('omits sudo for root, or if it is missing', () => {
    const root = on(machine('linux', ['apt-get', 'sudo'], { isRoot: true }));
    assert.deepEqual(root('python-venv'), { command: 'apt-get install -y python3-venv' });
    assert.deepEqual(on(machine('linux', ['apk']))('npm'), { command: 'apk add npm' });
  });

  it('is dnf on Fedora, zypper on openSUSE, pacman on Arch', () => {
    assert.deepEqual(on(machine('linux', ['dnf', 'sudo']))('chrome'), { command: 'sudo dnf install -y chromium' });
    assert.deepEqual(on(machine('linux', ['zypper', 'sudo']))('python'), {
      command: 'sudo zypper install -y python3',
    });
    assert.deepEqual(on(machine('linux', ['pacman', 'sudo']))('npm'), {
      command: 'sudo pacman -S --noconfirm npm',
    });
  });

  it('is Homebrew on macOS, and the download page without it', () => {
    assert.deepEqual(on(machine('darwin', ['brew']))('chrome'), { command: 'brew install --cask google-chrome' });
    assert.deepEqual(on(machine('darwin', ['brew']))('npm'), { command: 'brew install node' });
    assert.deepEqual(on(machine('darwin', []))('chrome'), { page: 'https://www.google.com/chrome/' });
  });

  it('is winget on Windows, and the download page without it', () => {
    const windows = on(machine('win32', ['winget']));
    assert.deepEqual(windows('chrome'), { command: 'winget install --exact --id Google.Chrome' });
    assert.deepEqual(windows('python'), { command: 'winget install --exact --id Python.Python.3.13' });
    assert.deepEqual(on(machine('win32', []))('npm'), { page: 'https://nodejs.org/en/download' });
  });

  it('recognizes a distribution by its os-release', () => {
    assert.deepEqual(distributionsIn('NAME="Linux Mint"\nID=linuxmint\nID_LIKE="ubuntu debian"\n'), [
      'linuxmint',
      'ubuntu',
      'debian',
    ]);
    assert.deepEqual(distributionsIn('ID="fedora"\n'), ['fedora']);
    assert.deepEqual(distributionsIn(''), []);
  });
});
