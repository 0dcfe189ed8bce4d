import { lstatSync, readlinkSync } from 'node:fs';
import { dirname } from 'node:path';

/** Home of the programs in a sandbox. */
export const home = '/home/webdata';
/** Where a sandbox has the sockets of its gate. */
export const gateInside = '/run/webdata';

/** Where a sandbox of root has the limits of its user namespace. */
const limitsInside = '/run/webdata-limits';

const fontCache = '/var/cache/fontconfig';
const sharedMemory = 64 * 1024 * 1024;

/** Folders of the system that programs need, which may be links into /usr. Every sandbox sees them. */
export const systemFolders = ['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32'];
/** What programs read of the system's configuration: nothing in it is secret. */
const configuration = [
  'ssl',
  'ca-certificates',
  'pki',
  'fonts',
  'ld.so.cache',
  'ld.so.conf',
  'ld.so.conf.d',
  'alternatives',
  'localtime',
  'timezone',
  'mime.types',
  'protocols',
  'services',
  'chromium',
  'chromium.d',
].map((name) => `/etc/${name}`);

export interface SandboxLayout {
  /** Folders of the sandbox itself: for temporary files, its home, and files for /etc. */
  tmp: string;
  home: string;
  etc: string;
  /** Folder with the sockets that lead out. Without one, the sandbox uses the network of the machine. */
  gate: string | undefined;
  writable: readonly string[];
  readOnly: readonly string[];
  cwd: string;
  /** Whether programs may create user namespaces. As root, they may until `withoutNamespaces` has run. */
  userNamespaces: boolean;
  /** Whether bubblewrap runs as root: it then needs no user namespace, and the program has to give up root. */
  asRoot: boolean;
}

/** Returns the arguments of bubblewrap, up to the command. */
export function bubblewrapArguments(layout: SandboxLayout): string[] {
  const { asRoot, gate, writable } = layout;
  const readOnly = layout.readOnly.filter((path) => !systemFolders.some((folder) => path.startsWith(`${folder}/`)));
  return [
    ...['--unshare-pid', '--unshare-ipc', '--unshare-uts', '--unshare-cgroup-try', '--die-with-parent'],
    ...['--hostname', 'sandbox'],
    ...(asRoot
      ? ['--cap-drop', 'ALL', '--cap-add', 'CAP_SETUID', '--cap-add', 'CAP_SETGID', '--cap-add', 'CAP_DAC_READ_SEARCH']
      : ['--unshare-user', ...(layout.userNamespaces ? [] : ['--disable-userns'])]),
    ...(gate === undefined ? [] : ['--unshare-net']),
    ...systemFolders.flatMap(systemFolder),
    ...folders([...configuration, fontCache, home, gateInside]),
    ...(asRoot && !layout.userNamespaces ? ['--bind-try', '/proc/sys/user', limitsInside] : []),
    ...configuration.flatMap((path) => ['--ro-bind-try', path, path]),
    ...['--ro-bind-try', fontCache, fontCache],
    ...['--proc', '/proc', '--dev', '/dev'],
    ...['--perms', '1777', '--size', String(sharedMemory), '--tmpfs', '/dev/shm'],
    ...['--bind', layout.tmp, '/tmp', '--bind', layout.home, home],
    ...['passwd', 'group', 'hosts', 'nsswitch.conf'].flatMap((name) => [
      '--ro-bind',
      `${layout.etc}/${name}`,
      `/etc/${name}`,
    ]),
    ...(gate === undefined ? [] : ['--ro-bind', gate, gateInside]),
    ...folders([...readOnly, ...writable]),
    ...readOnly.flatMap((path) => ['--ro-bind-try', path, path]),
    ...writable.flatMap((path) => ['--bind', path, path]),
    ...['--remount-ro', '/dev', '--remount-ro', '/'],
    ...['--chdir', layout.cwd],
  ];
}

/**
 * Starts a program that may create no user namespaces, in which it would have all capabilities, as another user than root: it
 * runs in one that is within another, which may have only this one.
 */
export const withoutNamespaces: readonly string[] = [
  ...['unshare', '--user', '--map-current-user', '--keep-caps', '--', 'sh', '-c'],
  `echo 1 >${limitsInside}/max_user_namespaces && exec setpriv --inh-caps=-all --ambient-caps=-all -- unshare --user --map-current-user -- "$@"`,
  'sh',
];

/** Creates the folders that paths are in, outer ones first: those that bubblewrap creates by itself are for root only. */
function folders(paths: readonly string[]): string[] {
  const found = new Set<string>();
  for (const path of paths) for (let at = dirname(path); at !== '/'; at = dirname(at)) found.add(at);
  return [...found].sort().flatMap((path) => ['--perms', '0755', '--dir', path]);
}

function systemFolder(path: string): string[] {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (!stats) return [];
  return stats.isSymbolicLink() ? ['--symlink', readlinkSync(path), path] : ['--ro-bind', path, path];
}
