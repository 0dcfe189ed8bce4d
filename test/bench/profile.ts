import { readFileSync, rmSync } from 'node:fs';
import { SourceMap } from 'node:module';
import { basename, join } from 'node:path';
import { memoryVariables } from '../../src/contract/embedded.ts';
import { repository, temporaryFolder } from '../harness/folders.ts';
import { type ServiceProcess, spawnService } from '../harness/service.ts';
import { crawlWith, startSite } from './crawl-site/crawl-site.ts';
import { round } from './figures.ts';
import { threadSecondsOf } from './processes.ts';

/** A CPU profile as V8 writes it. */
interface Profile {
  nodes: { id: number; callFrame: { functionName: string; url: string; lineNumber: number; columnNumber: number } }[];
  samples: number[];
  timeDeltas: number[];
}

const pages = Number(process.env.WEBDATA_BENCH_PAGES ?? 1000);
const listed = 10;

/**
 * Where the time of a crawl of 1,000 pages goes: processor time per page of each of the service's threads, and, in a second
 * crawl with a profiler, the functions that take the most time themselves. WEBDATA_BENCH_PAGES sets the number of pages.
 */
export async function run(): Promise<void> {
  const site = await startSite(pages);
  try {
    await inService({}, async (service) => {
      const pid = service.child.pid ?? 0;
      const before = new Map(threadSecondsOf(pid).map(({ id, seconds }) => [id, seconds]));
      const { seconds } = await crawlWith(service.line, { url: site.url, limit: pages });
      const threads = threadSecondsOf(pid)
        .map((thread) => ({ name: thread.name, ms: ((thread.seconds - (before.get(thread.id) ?? 0)) * 1000) / pages }))
        .filter(({ ms }) => ms > 0.02)
        .sort((one, other) => other.ms - one.ms);
      const sum = threads.reduce((total, { ms }) => total + ms, 0);
      console.log(`${round(pages / seconds)} pages a second, ${round(sum)} ms of processor time per page:`);
      console.table(threads.map(({ name, ms }) => ({ thread: name, 'ms/page': round(ms) })));
    });
    await inService({ NODE_OPTIONS: '--inspect=127.0.0.1:0' }, async (service) => {
      const profiler = await startProfiler(service.stderr());
      await crawlWith(service.line, { url: site.url, limit: pages });
      for (const profile of await profiler.stop()) print(profile);
    });
  } finally {
    site.stop();
  }
}

async function inService(env: NodeJS.ProcessEnv, work: (service: ServiceProcess) => Promise<void>): Promise<void> {
  const folder = temporaryFolder();
  const service = await spawnService(['--data-dir', folder, '--spare-browsers', '0'], { ...memoryVariables, ...env });
  try {
    await work(service);
  } finally {
    service.child.kill('SIGTERM');
    await service.exited;
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Profiles the main thread and all threads that it starts, through the inspector whose address is in `output`. */
async function startProfiler(output: string): Promise<{ stop(): Promise<Profile[]> }> {
  const [address = ''] = /ws:\S+/.exec(output) ?? [];
  const socket = new WebSocket(address);
  await new Promise((resolve, reject) => {
    socket.onopen = resolve;
    socket.onerror = () => reject(new Error(`No inspector listens at "${address}".`));
  });
  let lastId = 0;
  const threads = new Set<string>();
  const replies = new Map<string, (result: Record<string, unknown>) => void>();
  const send = (method: string, params: object = {}, session = ''): Promise<Record<string, unknown>> => {
    const id = ++lastId;
    const message = JSON.stringify({ id, method, params });
    if (session === '') socket.send(message);
    else void send('NodeWorker.sendMessageToWorker', { sessionId: session, message });
    return new Promise((resolve) => replies.set(`${session} ${id}`, resolve));
  };
  const profile = async (session = '') => {
    threads.add(session);
    await send('Profiler.enable', {}, session);
    await send('Profiler.setSamplingInterval', { interval: 500 }, session);
    await send('Profiler.start', {}, session);
  };
  const receive = (text: string, session = '') => {
    const { id, result = {}, method, params } = JSON.parse(text);
    if (id !== undefined) replies.get(`${session} ${id}`)?.(result);
    else if (method === 'NodeWorker.attachedToWorker') void profile(params.sessionId);
    else if (method === 'NodeWorker.receivedMessageFromWorker') receive(params.message, params.sessionId);
    else if (method === 'NodeWorker.detachedFromWorker') threads.delete(params.sessionId);
  };
  socket.onmessage = ({ data }) => receive(String(data));
  await profile();
  await send('NodeWorker.enable', { waitForDebuggerOnStart: false });
  return {
    async stop() {
      const stopped = await Promise.all([...threads].map((session) => send('Profiler.stop', {}, session)));
      socket.close();
      return stopped.map(({ profile }) => profile as Profile);
    },
  };
}

function print({ nodes, samples, timeDeltas }: Profile): void {
  const byId = new Map(nodes.map((node) => [node.id, node.callFrame]));
  const selfMs = new Map<string, number>();
  let busy = 0;
  samples.forEach((id, index) => {
    const frame = byId.get(id);
    const ms = (timeDeltas[index] ?? 0) / 1000;
    if (!frame || frame.functionName === '(idle)' || frame.functionName === '(root)') return;
    busy += ms;
    const name = nameOf(frame);
    selfMs.set(name, (selfMs.get(name) ?? 0) + ms);
  });
  const built = new Set(nodes.map(({ callFrame: { url } }) => basename(url)).filter((name) => name.endsWith('.cjs')));
  if (busy / pages < 0.02) return;
  console.log(`\nThread of ${[...built].join(', ') || 'the path rules'}: ${round(busy / pages)} ms per page`);
  const top = [...selfMs].sort(([, one], [, other]) => other - one).slice(0, listed);
  console.table(
    top.map(([name, ms]) => ({ share: `${round((ms / busy) * 100)} %`, 'ms/page': round(ms / pages), function: name })),
  );
}

const maps = new Map<string, SourceMap | undefined>();

/** Returns a function's name with the file that it was written in. */
function nameOf({ functionName, url, lineNumber, columnNumber }: Profile['nodes'][number]['callFrame']): string {
  const file = basename(url);
  if (!maps.has(file)) maps.set(file, readMap(file));
  const entry = maps.get(file)?.findEntry(lineNumber, columnNumber);
  const source = entry && 'originalSource' in entry ? entry.originalSource : undefined;
  const where = source === undefined ? url : source.replace(/^(?:\.\.\/)+/, '').replace(/^.*node_modules\//, '');
  return `${functionName || '(anonymous)'}${where === '' ? '' : ` (${where}:${(entry && 'originalLine' in entry ? entry.originalLine : lineNumber) + 1})`}`;
}

function readMap(file: string): SourceMap | undefined {
  try {
    return new SourceMap(JSON.parse(readFileSync(join(repository, 'dist', `${file}.map`), 'utf8')));
  } catch {
    return undefined;
  }
}
