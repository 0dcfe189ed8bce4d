import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { watchMarkedProcesses } from '../../scripts/lib/processes.mjs';
import { findProgram, GRID_DIR, whyNoSeleniumGrid } from '../../scripts/lib/selenium-grid.mjs';
import { eventually } from './eventually.ts';
import { freePort } from './free-port.ts';

export { whyNoSeleniumGrid };

/** A machine of a grid, which runs browsers. */
export interface GridNode {
  /** Kills it with its browsers, as a machine that loses its power. */
  kill(): Promise<void>;
}

/** A Selenium Grid: a hub, and nodes that are processes on this machine. */
export interface SeleniumGrid {
  /** URL of the hub, with the user name and password that it requires. */
  url: string;
  /** Starts a node with this many places, and waits until the hub knows it. */
  startNode(places: number): Promise<GridNode>;
  /** IDs of the sessions that the hub knows. */
  sessions(): Promise<string[]>;
  close(): Promise<void>;
}

const marker = 'WEBDATA_TEST_SELENIUM_GRID';
const main = 'org.openqa.selenium.grid.Main';
/** A short start counts for more than speed. */
const javaOptions = ['-Xmx192m', '-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1', '-Xshare:auto'];

/** User name and password of the hubs; as part of a URL, the password has to be encoded. */
export const gridLogin = { user: 'ada', password: 'pass word/1' };

interface GridStatus {
  value: { nodes: { uri: string; slots: { session: { sessionId: string } | null }[] }[] };
}

interface Started {
  child: ChildProcess;
  log(): string;
  kill(): Promise<void>;
}

/** Starts the hub of a grid, on free ports of 127.0.0.1. */
export async function startSeleniumGrid(): Promise<SeleniumGrid> {
  const [port, publish, subscribe] = [await freePort(), await freePort(), await freePort()];
  const host = ['--host', '127.0.0.1'];
  const bus = [
    ...['--publish-events', `tcp://127.0.0.1:${publish}`],
    ...['--subscribe-events', `tcp://127.0.0.1:${subscribe}`],
  ];
  const started: Started[] = [];
  const start = (args: readonly string[]) => {
    const one = startJava(args);
    started.push(one);
    return one;
  };
  const login = ['--username', gridLogin.user, '--password', gridLogin.password];
  const health = ['--healthcheck-interval', '2', '--purge-nodes-interval', '2'];
  const hub = start(['hub', ...host, '--port', String(port), ...bus, ...login, ...health]);

  const authorization = `Basic ${Buffer.from(`${gridLogin.user}:${gridLogin.password}`).toString('base64')}`;
  const status = async () => {
    const response = await fetch(`http://127.0.0.1:${port}/status`, { headers: { authorization } });
    return ((await response.json()) as GridStatus).value.nodes;
  };
  const untilReady = async (one: Started, check: () => Promise<unknown>) => {
    await eventually(async () => {
      if (one.child.exitCode !== null) return;
      await check();
    }).catch((error) => {
      throw new Error(`Selenium Grid did not start: ${error.message}\n${one.log()}`);
    });
    if (one.child.exitCode !== null) throw new Error(`Selenium Grid stopped at startup:\n${one.log()}`);
  };
  const close = async () => {
    await Promise.all(started.map((one) => one.kill()));
  };

  try {
    await untilReady(hub, status);
  } catch (error) {
    await close();
    throw error;
  }
  return {
    url: `http://${gridLogin.user}:${encodeURIComponent(gridLogin.password)}@127.0.0.1:${port}`,
    close,
    sessions: async () =>
      (await status()).flatMap(({ slots }) => slots.flatMap(({ session }) => (session ? [session.sessionId] : []))),
    async startNode(places) {
      const nodePort = await freePort();
      const node = start([
        ...['node', ...host, '--port', String(nodePort), '--hub', `http://127.0.0.1:${port}`, ...bus],
        // A short wait for the hub's answer; ChromeDriver is named instead of looked for.
        ...['--register-cycle', '1', '--heartbeat-period', '2', '--selenium-manager', 'false'],
        ...['--detect-drivers', 'false', '--override-max-sessions', 'true', '--max-sessions', String(places)],
        ...['--driver-configuration', 'display-name=Chrome', `max-sessions=${places}`],
        ...['stereotype={"browserName":"chrome"}', `webdriver-executable=${findProgram('chromedriver')}`],
      ]);
      await untilReady(node, async () => {
        const known = (await status()).some(({ uri }) => uri.endsWith(`:${nodePort}`));
        if (!known) throw new Error('the hub does not know the node');
      });
      return { kill: node.kill };
    },
  };
}

function startJava(args: readonly string[]): Started {
  const id = randomUUID();
  const child = spawn('java', [...javaOptions, '-cp', join(GRID_DIR, '*'), main, ...args], {
    env: { ...process.env, [marker]: id },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      output = (output + text).slice(-5000);
    });
  const exited = new Promise<void>((resolve) => {
    child.once('close', () => resolve());
    child.once('error', (error) => {
      output += error.message;
      resolve();
    });
  });
  const watch = watchMarkedProcesses(marker, id, 1000);
  return {
    child,
    log: () => output,
    async kill() {
      // All at once: whatever is left has no parent that would end it.
      watch.kill();
      await exited;
      await eventually(() => {
        const left = watch.look();
        if (left.length === 0) return;
        watch.kill();
        throw new Error(`${left.length} processes are left`);
      });
    },
  };
}
