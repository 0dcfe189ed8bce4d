import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { chmodSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { discoveryFileName, proofMessage } from '../../../../src/contract/embedded.ts';
import { findService } from '../../../../src/discovery/discovery.ts';
import { temporaryFolder } from '../../../harness/folders.ts';

const secret = 's'.repeat(64);
const key = 'canary-key-0123456789';

/** A program that listens on a port of this machine, and what it received. */
class Listener {
  server: Server;
  heard: string[] = [];
  port = 0;

  constructor(answer: (nonce: string, port: number) => [status: number, body: string]) {
    this.server = createServer((request, response) => {
      this.heard.push(`${request.method} ${request.url} ${JSON.stringify(request.headers)}`);
      const [status, body] = answer(nonceOf(request), this.port);
      response.writeHead(status, { 'content-type': 'application/json' }).end(body);
    });
  }

  async listen(): Promise<this> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
    this.port = (this.server.address() as AddressInfo).port;
    return this;
  }
}

function nonceOf(request: IncomingMessage): string {
  return new URL(request.url ?? '', 'http://x').searchParams.get('nonce') ?? '';
}

const proof = (nonce: string, port: number, under = secret) =>
  createHmac('sha256', under).update(proofMessage(nonce, port)).digest('hex');

describe('finding a running service', () => {
  let folder: string;
  let path: string;
  const listeners: Listener[] = [];
  const listen = async (answer: ConstructorParameters<typeof Listener>[0]) => {
    const listener = await new Listener(answer).listen();
    listeners.push(listener);
    return listener;
  };
  const file = (change: Record<string, unknown> = {}) =>
    JSON.stringify({ port: 1, pid: 1234, secret, apiKey: key, version: '0.1.0', ...change });
  const write = (text: string, mode = 0o600) => {
    writeFileSync(path, text);
    chmodSync(path, mode);
  };

  beforeEach(() => {
    folder = temporaryFolder();
    path = join(folder, discoveryFileName);
  });
  afterEach(() => {
    for (const { server } of listeners.splice(0)) server.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it('finds none without a file', async () => {
    assert.deepEqual(await findService(folder), { reason: undefined });
  });

  it('finds the one that proves that it wrote the file', async () => {
    const { port, heard } = await listen((nonce, own) => [200, JSON.stringify({ proof: proof(nonce, own) })]);
    write(file({ port }));
    const { service } = await findService(folder);
    assert.deepEqual(service, { baseUrl: `http://127.0.0.1:${port}`, port, pid: 1234, version: '0.1.0', apiKey: key });
    assert.doesNotMatch(heard.join(), /canary/);
  });

  it('uses a new nonce each time', async () => {
    const { port, heard } = await listen((nonce, own) => [200, JSON.stringify({ proof: proof(nonce, own) })]);
    write(file({ port }));
    await findService(folder);
    await findService(folder);
    assert.notEqual(heard[0]?.split(' ')[1], heard[1]?.split(' ')[1]);
  });

  const squatters: [name: string, answer: ConstructorParameters<typeof Listener>[0]][] = [
    ['says that all is well', () => [200, '{"success":true}']],
    [
      'gives a proof under another secret',
      (nonce, port) => [200, JSON.stringify({ proof: proof(nonce, port, 'x'.repeat(64)) })],
    ],
    [
      'gives a proof that is bound to another port',
      (nonce, port) => [200, JSON.stringify({ proof: proof(nonce, port + 1) })],
    ],
    ['gives the right proof with an error', (nonce, port) => [403, JSON.stringify({ proof: proof(nonce, port) })]],
    [
      'gives the beginning of the proof',
      (nonce, port) => [200, JSON.stringify({ proof: proof(nonce, port).slice(0, 32) })],
    ],
    ['gives no JSON', () => [200, '<html>']],
    ['answers without end', () => [200, 'x'.repeat(1_000_000)]],
  ];
  for (const [name, answer] of squatters) {
    it(`doesn't trust a program on its port that ${name}, and sends it no key (PRT-02)`, async () => {
      const { port, heard } = await listen(answer);
      write(file({ port }));
      const found = await findService(folder);
      assert.equal(found.service, undefined);
      assert.match(String('reason' in found && found.reason), /is not the service/);
      assert.doesNotMatch(heard.join(), /canary|ssss/);
    });
  }

  it('finds none if nothing is listening anymore', async () => {
    const { port, server } = await listen(() => [200, '{}']);
    server.close();
    write(file({ port }));
    assert.equal((await findService(folder)).service, undefined);
  });

  const damaged: [name: string, text: string][] = [
    ['empty', ''],
    ['cut off', '{"port":4'],
    ['no object', '[]'],
    ['without a secret', JSON.stringify({ port: 4, pid: 1234, apiKey: key, version: '1' })],
    ['with port 0', file({ port: 0 })],
    ['with port 2^53', file({ port: 2 ** 53 })],
    ['with pid 1', file({ pid: 1 })],
    ['with pid -1', file({ pid: -1 })],
    ['huge', file({ version: 'x'.repeat(100_000) })],
  ];
  for (const [name, text] of damaged) {
    it(`doesn't trust a file that is ${name} (PRT-07)`, async () => {
      write(text);
      const found = await findService(folder);
      assert.equal(found.service, undefined);
      assert.ok('reason' in found && found.reason);
    });
  }

  if (process.platform !== 'win32') {
    for (const mode of [0o644, 0o640, 0o606]) {
      it(`doesn't trust a file that others can read (${mode.toString(8)}) (PRT-08)`, async () => {
        const { port, heard } = await listen((nonce, own) => [200, JSON.stringify({ proof: proof(nonce, own) })]);
        write(file({ port }), mode);
        const found = await findService(folder);
        assert.match(String('reason' in found && found.reason), /can be read by others/);
        assert.deepEqual(heard, []);
      });
    }

    it("doesn't follow a symbolic link (PRT-08)", async () => {
      writeFileSync(join(folder, 'elsewhere'), file(), { mode: 0o600 });
      symlinkSync(join(folder, 'elsewhere'), path);
      const found = await findService(folder);
      assert.match(String('reason' in found && found.reason), /is a link/);
    });

    it("doesn't block on a named pipe, or read a folder (PRT-08)", async () => {
      execFileSync('mkfifo', ['-m', '600', path]);
      assert.match(String(((await findService(folder)) as { reason?: string }).reason), /not a plain file/);
      rmSync(path);
      mkdirSync(path, { mode: 0o700 });
      assert.match(String(((await findService(folder)) as { reason?: string }).reason), /not a plain file|EISDIR/);
    });
  }
});
