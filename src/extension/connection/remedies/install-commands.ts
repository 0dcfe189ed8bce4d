/** A program that features need and that isn't part of the extension. */
export type Program = 'chrome' | 'python' | 'python-venv' | 'npm';

/** The machine that the extension runs on. */
export interface Machine {
  platform: NodeJS.Platform;
  /** IDs in /etc/os-release, such as `ubuntu` and `debian`, the most specific first. Empty on other systems. */
  distributions: readonly string[];
  isRoot: boolean;
  /** Whether a program is on PATH. */
  has(program: string): boolean;
}

/** How to install a program: a command for a terminal, or a page to download it from. */
export type Installation = { command: string } | { page: string };

const pages: Record<Program, string> = {
  chrome: 'https://www.google.com/chrome/',
  python: 'https://www.python.org/downloads/',
  'python-venv': 'https://www.python.org/downloads/',
  npm: 'https://nodejs.org/en/download',
};

type Packages = Record<Program, string>;

/** What the packages are called where nothing else is said. */
const usual: Packages = { chrome: 'chromium', python: 'python3', 'python-venv': 'python3', npm: 'npm' };
const debian: Packages = { ...usual, python: 'python3 python3-venv', 'python-venv': 'python3-venv' };
const arch: Packages = { ...usual, python: 'python', 'python-venv': 'python' };
/** Package managers in the order in which they are looked for, with their packages. */
const linuxManagers: { program: string; install: string; packages: Packages }[] = [
  { program: 'apt-get', install: 'apt-get install -y', packages: debian },
  { program: 'dnf', install: 'dnf install -y', packages: { ...usual, npm: 'nodejs-npm' } },
  { program: 'zypper', install: 'zypper install -y', packages: { ...usual, npm: 'npm-default' } },
  { program: 'pacman', install: 'pacman -S --noconfirm', packages: arch },
  { program: 'apk', install: 'apk add', packages: usual },
];

const brewPackages: Packages = {
  chrome: '--cask google-chrome',
  python: 'python',
  'python-venv': 'python',
  npm: 'node',
};
const wingetIds: Packages = {
  chrome: 'Google.Chrome',
  python: 'Python.Python.3.13',
  'python-venv': 'Python.Python.3.13',
  npm: 'OpenJS.NodeJS.LTS',
};

/** Returns how to install a program on a machine. */
export function installationOf(program: Program, machine: Machine): Installation {
  const { platform, has } = machine;
  if (platform === 'darwin' && has('brew')) return { command: `brew install ${brewPackages[program]}` };
  if (platform === 'win32' && has('winget')) return { command: `winget install --exact --id ${wingetIds[program]}` };
  const manager = platform === 'linux' ? linuxManagers.find((each) => has(each.program)) : undefined;
  if (!manager) return { page: pages[program] };
  const run = `${manager.install} ${packageOf(program, manager.packages, machine)}`;
  return { command: machine.isRoot || !has('sudo') ? run : `sudo ${run}` };
}

/** Ubuntu has Chromium under another name: a package that installs the snap. */
function packageOf(program: Program, packages: Packages, { distributions }: Machine): string {
  return program === 'chrome' && distributions[0] === 'ubuntu' ? 'chromium-browser' : packages[program];
}

/** Returns the IDs in the text of /etc/os-release: its own, then those it is like. */
export function distributionsIn(osRelease: string): string[] {
  const value = (name: string) => new RegExp(`^${name}=["']?([^"'\\n]*)`, 'm').exec(osRelease)?.[1] ?? '';
  return [value('ID'), ...value('ID_LIKE').split(/\s+/)].filter(Boolean);
}
