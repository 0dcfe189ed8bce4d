import { lstatSync, readFileSync, readlinkSync } from 'node:fs';
import { chown, lchown, mkdir, opendir, writeFile } from 'node:fs/promises';
import { constants, homedir } from 'node:os';
import { dirname, join, resolve, sep } from 'node:path';
import { shorten } from '../../../contract/shorten.ts';
import { loginVariables } from '../../platform/environment.ts';
import type { AddressPolicy } from '../../platform/network/address-policy/address-policy.ts';
import type { EgressProxy } from '../../platform/network/egress-proxy.ts';
import type { TemporaryFolders } from '../chrome/temporary-folders.ts';
import { programs } from '../runners/programs.ts';
import { bubblewrapArguments, home, withoutNamespaces } from './bubblewrap.ts';
import { type Gate, openGate } from './gate.ts';

/** How a program is started. */
export interface Command {
  command: string;
  args: readonly string[];
  env: NodeJS.ProcessEnv;
  /** Working directory. */
  cwd: string;
}

/** Returns how to start a program inside a sandbox. `reads` are folders and files that it needs, in addition to the system's. */
export type Isolate = (command: Command, reads?: readonly string[]) => Command;

/** What the programs of one session, or of one browser, see of the machine. */
export type Sandbox = Awaited<ReturnType<typeof openSandbox>>;

export interface SandboxFolders {
  /** Folder of the browser's state. */
  profile: string;
  /** Working directory of snippets. */
  work?: string;
  downloads?: string;
  /** Origin of the service. With it, the sandbox has a network of its own, which leads to the service and to the web. */
  service?: string;
  /** Narrows what the sandbox may reach on the web. */
  policy?: AddressPolicy | undefined;
}

export interface SandboxOptions {
  dataDir: string;
  temporary: TemporaryFolders;
  /** What the sandbox reaches the web through. */
  egress?: () => Promise<EgressProxy>;
  /** Path of bubblewrap. */
  bwrap: string;
  /** Whether the users of sandboxes may create user namespaces on this machine. */
  userNamespaces: boolean;
}

/** User IDs for sandboxes of a service that runs as root: systemd's range for users without an account. */
const firstUser = 61_184;
const lastUser = 65_519;
/** As many links as Linux follows. */
const maxLinks = 40;
const isRoot = process.getuid?.() === 0;
let nextUser = firstUser + Math.floor(Math.random() * (lastUser - firstUser));

/** Creates a sandbox. Its programs never run as root: a service that does gives each sandbox a user ID of its own. */
export async function openSandbox(folders: SandboxFolders, options: SandboxOptions) {
  const { profile, work, downloads, service, policy } = folders;
  const temporary = await options.temporary.create();
  if (!temporary)
    throw new Error("the folder for temporary files can't be used: set TMPDIR to a folder with a shorter path");
  const user = isRoot ? takeUser() : process.getuid?.();
  const own = {
    tmp: join(temporary.path, 'tmp'),
    home: join(temporary.path, 'home'),
    etc: join(temporary.path, 'etc'),
  };
  const gateFolder = join(temporary.path, 'gate');
  let gate: Gate | undefined;
  try {
    for (const folder of [...Object.values(own), gateFolder]) await mkdir(folder, { mode: 0o755 });
    await writeSystemFiles(own.etc, user);
    if (service !== undefined)
      gate = await openGate(gateFolder, { egress: await options.egress?.(), policy, service: new URL(service) });
    if (isRoot && user !== undefined) {
      for (const folder of [own.tmp, own.home, profile, work, downloads]) if (folder) await giveTo(user, folder);
    }
  } catch (error) {
    await gate?.close();
    await temporary.remove();
    throw error;
  }

  function isolate(kind: 'browser' | 'runner', writable: readonly string[], readable: readonly string[]): Isolate {
    // Chrome's own sandbox needs them.
    const userNamespaces = kind === 'browser';
    const limited = isRoot && options.userNamespaces && !userNamespaces ? withoutNamespaces : [];
    return ({ command, args, env, cwd }, reads = []) => {
      const readOnly = [dirname(programs.nodeRunner), process.execPath, ...certificates(env), ...readable, ...reads];
      for (const path of reads) assertApart(path, options.dataDir);
      const bridge = gate
        ? [process.execPath, programs.bridge, JSON.stringify({ ...gate.ports, files: kind === 'runner' ? 6 : 5 })]
        : [];
      return {
        command: options.bwrap,
        args: [
          ...bubblewrapArguments({
            ...own,
            gate: gate && gateFolder,
            writable,
            readOnly,
            cwd,
            userNamespaces,
            asRoot: isRoot,
          }),
          '--',
          ...(isRoot
            ? ['setpriv', `--reuid=${user}`, `--regid=${user}`, '--clear-groups', '--inh-caps=-all', '--']
            : []),
          ...limited,
          ...limitArguments(kind),
          ...bridge,
          command,
          ...args,
        ],
        env: sandboxEnvironment(env, kind === 'runner' ? gate?.proxyUrl : undefined),
        cwd,
      };
    };
  }
  const shared = downloads === undefined ? [] : [downloads];
  const working = work === undefined ? [] : [work];
  return {
    /** For browsers: they use the profile and the downloads, and read the working directory. */
    browser: isolate('browser', [profile, ...shared], working),
    /** For runners of snippets: they use the working directory and the downloads. */
    runner: isolate('runner', [...working, ...shared], []),
    /** URL of the proxy that leads to the web, inside the sandbox. Undefined if it uses the network of the machine. */
    proxyUrl: gate?.proxyUrl,
    /** Returns a URL of the service as programs in the sandbox reach it. */
    serviceUrl: (url: string): string => (gate ? gate.serviceUrl(url) : url),
    /** Deletes what belongs to the sandbox. Its programs must have ended. */
    async close(): Promise<void> {
      await gate?.close();
      await temporary.remove();
    },
  };
}

function takeUser(): number {
  nextUser = nextUser === lastUser ? firstUser : nextUser + 1;
  return nextUser;
}

/** Programs look up their user and `localhost` in files of the system; the machine's own would show its other users and hosts. */
async function writeSystemFiles(folder: string, user = 65_534): Promise<void> {
  const files = {
    passwd: `root:x:0:0::/:/bin/sh\nwebdata:x:${user}:${user}::${home}:/bin/sh\n`,
    group: `root:x:0:\nwebdata:x:${user}:\n`,
    hosts: '127.0.0.1 localhost\n::1 localhost\n',
    'nsswitch.conf': 'passwd: files\ngroup: files\nhosts: files dns\n',
  };
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text, { mode: 0o644 });
}

/** Makes a user the owner of a folder and everything in it. */
async function giveTo(user: number, folder: string): Promise<void> {
  await chown(folder, user, user);
  for await (const entry of await opendir(folder)) {
    const path = join(folder, entry.name);
    await (entry.isDirectory() ? giveTo(user, path) : lchown(path, user, user));
  }
}

/** A program's folder that contains the service's data, or a home, would show it to every snippet. */
function assertApart(path: string, dataDir: string): void {
  for (const secret of [dataDir, homedir()]) {
    if (`${secret}${sep}`.startsWith(path === sep ? sep : `${path}${sep}`))
      throw new Error(
        `${shorten(path)} can't be shown to snippets, because ${shorten(secret)} is in it: install the program in a folder of its own`,
      );
  }
}

/** Returns what a program needs to start: the links that lead to its file, and that file's folder. */
export function filesOf(program: string): string[] {
  const links: string[] = [];
  let path = program;
  while (links.length < maxLinks && lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink()) {
    links.push(path);
    path = resolve(dirname(path), readlinkSync(path));
  }
  return [...links, dirname(path)];
}

function certificates(env: NodeJS.ProcessEnv): string[] {
  const { NODE_EXTRA_CA_CERTS, SSL_CERT_FILE, SSL_CERT_DIR, REQUESTS_CA_BUNDLE } = env;
  return [NODE_EXTRA_CA_CERTS, SSL_CERT_FILE, SSL_CERT_DIR, REQUESTS_CA_BUNDLE].filter((path) => !!path) as string[];
}

/** Returns how a program in a sandbox exited: a sandbox reports the signal that ended its program as shells do. */
export function exitInside(
  code: number | null,
  signal: NodeJS.Signals | null,
): { code: number | null; signal: NodeJS.Signals | null } {
  const names = Object.keys(constants.signals) as NodeJS.Signals[];
  const inside = names.find((name) => constants.signals[name] + 128 === code);
  return inside ? { code: null, signal: inside } : { code, signal };
}

/** Returns the environment of a program in a sandbox, with the proxy that leads to the web, if the program has to know it. */
export function sandboxEnvironment(env: NodeJS.ProcessEnv, proxyUrl: string | undefined): NodeJS.ProcessEnv {
  // They would tell what is outside.
  const kept = Object.entries(env).filter(([name]) => !loginVariables.includes(name));
  return {
    ...Object.fromEntries(kept),
    HOME: home,
    USER: 'webdata',
    LOGNAME: 'webdata',
    SHELL: '/bin/sh',
    TMPDIR: '/tmp',
    ...(proxyUrl !== undefined && proxyVariables(proxyUrl)),
  };
}

function proxyVariables(url: string): NodeJS.ProcessEnv {
  const direct = '127.0.0.1,localhost,::1';
  return {
    HTTP_PROXY: url,
    HTTPS_PROXY: url,
    NO_PROXY: direct,
    http_proxy: url,
    https_proxy: url,
    no_proxy: direct,
    NODE_USE_ENV_PROXY: '1',
  };
}

const gib = 1024 ** 3;

/** Limits of what runs in a sandbox. `processes` counts threads too, and all that the sandbox's user ID has. */
const limitsOf = {
  // Chrome has hundreds of threads.
  browser: { processes: 4096, memory: 4 * gib },
  runner: { processes: 1024, memory: 2 * gib },
} as const;

/** Returns the command that starts a program with limits on its processes, and on the memory that each of them allocates. */
function limitArguments(kind: keyof typeof limitsOf): string[] {
  const { processes, memory } = limitsOf[kind];
  return [
    'prlimit',
    '--core=0',
    `--nproc=${within('processes', processes)}`,
    `--data=${within('data size', memory)}`,
    '--',
  ];
}

/** Returns a limit, unless the service has a lower one, which its processes can't raise. */
function within(name: string, wanted: number): number {
  let text = '';
  try {
    text = readFileSync('/proc/self/limits', 'utf8');
  } catch {
    return wanted;
  }
  const hard = Number(new RegExp(`^Max ${name}\\s+\\S+\\s+(\\d+)`, 'm').exec(text)?.[1] ?? Number.POSITIVE_INFINITY);
  return Math.min(hard, wanted);
}
