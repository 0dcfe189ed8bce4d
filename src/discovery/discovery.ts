import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import { join } from 'node:path';
import {
  type DiscoveryFile,
  discoveryFile,
  discoveryFileName,
  embeddedEndpoints,
  proofMessage,
} from '../contract/embedded.ts';
import { jsonIn } from '../contract/lenient-texts.ts';

/** An agent for connections to this machine that never uses a proxy: the global agent might, and would leak the key to it. */
export const loopbackAgent = new Agent({ keepAlive: false });

/** A service that has proved that it wrote the discovery file. */
export interface FoundService extends Pick<DiscoveryFile, 'port' | 'version' | 'pid'> {
  baseUrl: string;
  apiKey: string | undefined;
}

/** Result of a search for a running service: the service, or why none was found (undefined: no discovery file). */
export type Found = { service: FoundService } | { service?: undefined; reason: string | undefined };

/** Bytes of the discovery file, and of an answer. */
const sizeLimit = 64 * 1024;
const proofTimeoutMs = 3_000;

/** Finds the running service of a data dir. Its key is used only after it has proved that it knows the file's secret. */
export async function findService(dataDirectory: string): Promise<Found> {
  let file: DiscoveryFile | undefined;
  try {
    file = await readDiscoveryFile(dataDirectory);
  } catch (error) {
    return { reason: messageOf(error) };
  }
  if (!file) return { reason: undefined };
  try {
    await requireProof(file);
  } catch (error) {
    return { reason: `port ${file.port} is not the service that wrote ${discoveryFileName}: ${messageOf(error)}` };
  }
  const { port, pid, version } = file;
  return { service: { baseUrl: `http://127.0.0.1:${port}`, port, pid, version, apiKey: file.apiKey ?? undefined } };
}

/**
 * Reads the discovery file; undefined if it doesn't exist.
 * @throws if it is a link, belongs to another user, is readable by others or is invalid: nothing in it is trusted then
 */
export async function readDiscoveryFile(dataDirectory: string): Promise<DiscoveryFile | undefined> {
  const path = join(dataDirectory, discoveryFileName);
  // O_NONBLOCK: a named pipe at this path must not block the window.
  const flags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
  const handle = await open(path, flags).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    if (error.code === 'ELOOP') throw new Error(`${path} is a link, not the service's own file`);
    throw error;
  });
  if (!handle) return undefined;
  try {
    const stat = await handle.stat();
    if (!stat.isFile()) throw new Error(`${path} is not a plain file`);
    if (process.getuid && stat.uid !== process.getuid()) throw new Error(`${path} belongs to another user`);
    if (process.platform !== 'win32' && (stat.mode & 0o077) !== 0) {
      throw new Error(`${path} can be read by others (mode ${(stat.mode & 0o777).toString(8)}, expected 600)`);
    }
    if (stat.size > sizeLimit) throw new Error(`${path} is larger than a discovery file can be`);
    const parsed = discoveryFile.safeParse(jsonIn(await handle.readFile('utf8')));
    if (!parsed.success) throw new Error(`${path} is not a discovery file`);
    return parsed.data;
  } finally {
    await handle.close();
  }
}

async function requireProof(file: DiscoveryFile): Promise<void> {
  const nonce = randomBytes(32).toString('hex');
  const answer = await ask(file.port, `${embeddedEndpoints.prove.path}?nonce=${nonce}`, proofTimeoutMs);
  const body = embeddedEndpoints.prove.response.safeParse(jsonIn(answer.body));
  if (answer.status !== 200 || !body.success) throw new Error(`it returned status ${answer.status} without a proof`);
  const expected = createHmac('sha256', file.secret).update(proofMessage(nonce, file.port)).digest();
  const given = Buffer.from(body.data.proof, 'hex');
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) throw new Error('its proof is wrong');
}

/** Sends one small GET to a port on 127.0.0.1, without extra headers. Fails after `timeoutMs`. */
function ask(port: number, path: string, timeoutMs: number): Promise<{ status: number; body: string }> {
  return new Promise((resolve, reject) => {
    const signal = AbortSignal.timeout(timeoutMs);
    const call = request({ host: '127.0.0.1', port, path, agent: loopbackAgent, signal }, (response) => {
      const chunks: Buffer[] = [];
      let size = 0;
      response.on('data', (chunk: Buffer) => {
        size += chunk.length;
        if (size > sizeLimit) call.destroy(new Error('the response is too large'));
        chunks.push(chunk);
      });
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, body: Buffer.concat(chunks).toString('utf8') }),
      );
      response.on('error', reject);
    });
    call.on('error', (error) => reject(signal.aborted ? new Error('it did not respond in time') : error));
    call.end();
  });
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
