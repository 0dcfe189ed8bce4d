import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { type AddressInfo, connect, createServer as createTcpServer, type Socket } from 'node:net';
import { Worker } from 'node:worker_threads';
import fastify, { type FastifyInstance } from 'fastify';
import type { ServiceError } from '../../../src/service/platform/errors.ts';
import type { FleetNode } from '../../../src/service/platform/fleet/fleet.ts';
import { createForward } from '../../../src/service/platform/fleet/forward.ts';
import { createNodeWatch } from '../../../src/service/platform/fleet/node-watch.ts';
import { callerHeader, createPeers, nodeHeader } from '../../../src/service/platform/fleet/peers.ts';
import { eventually, patience } from '../../harness/eventually.ts';
import { createFakeClock } from '../../harness/fake-clock.ts';

const nodeAt = (url: string): FleetNode => ({ id: 'n1', url, secret: 'node-secret', draining: false });

describe('a request that another node has forwarded', () => {
  it('is refused if its caller is not valid (F27)', () => {
    const parts = { fleet: { secret: 'own', nodes: async () => [] }, database: {}, clock: createFakeClock() };
    const peers = createPeers({ ...parts, isHere: () => true } as never);
    const receive = (caller: string) =>
      peers.receive({ rawHeaders: [nodeHeader, 'own', callerHeader, caller] } as never);
    for (const junk of ['%', '{', '5', '%7B%7D', '%7B%22team%22%3A5%7D']) {
      const refusal = { status: 400, error: `The header ${callerHeader} isn't valid.` };
      assert.deepEqual(receive(junk), refusal, junk);
    }
    const caller = { team: 'default', keyLabel: 'x' };
    assert.deepEqual(receive(encodeURIComponent(JSON.stringify(caller))), { caller });
    assert.deepEqual(receive('null'), { caller: null });
  });
});

describe('a request that is forwarded to a node', () => {
  const closing: (() => unknown)[] = [];
  afterEach(async () => {
    for (const close of closing.splice(0).reverse()) await close();
  });

  /** A service whose requests all go to a node. `living` are the nodes that its database has. */
  async function serviceFor(node: FleetNode, acceptMs = patience) {
    const clock = createFakeClock();
    const forgotten: string[] = [];
    const service = { app: fastify() as FastifyInstance, clock, forgotten, living: [node], isDown: false };
    const nodes = async () => {
      if (service.isDown) throw new Error('the database is down');
      return service.living;
    };
    const forward = createForward({
      headersFor: () => ({}),
      onUnreachable: ({ id }) => forgotten.push(id),
      watch: createNodeWatch({ nodes }, clock).watch,
      acceptMs,
    });
    await forward.register(service.app);
    service.app.setErrorHandler(async (error: ServiceError, _request, reply) =>
      reply.code(error.status ?? 500).send({ code: error.code, message: error.message }),
    );
    service.app.get('/*', (request, reply) => forward.send(node, request, reply));
    await service.app.listen({ host: '127.0.0.1', port: 0 });
    closing.push(() => service.app.close());
    const { port } = service.app.server.address() as AddressInfo;
    return { ...service, service, ask: () => fetch(`http://127.0.0.1:${port}/v2/browser`) };
  }

  /** A server that accepts connections and never answers. */
  async function silentServer() {
    let asked = 0;
    const server = createServer(() => void asked++);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    closing.push(() => server.close().closeAllConnections());
    const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
    return { host, asked: () => asked };
  }

  it('fails soon, with the name of the node, if its machine accepts no connection', async function () {
    // Only there are further connections left without an answer.
    if (process.platform !== 'linux') this.skip();
    const { host, port } = await deafServer(closing);
    const { ask, forgotten } = await serviceFor(nodeAt(`http://${host}:${port}`), 500);
    const answer = await ask();
    const { code, message } = (await answer.json()) as { code: string; message: string };
    assert.deepEqual([answer.status, code], [503, 'NODE_UNREACHABLE']);
    assert.match(message, new RegExp(`^The node ${host}:${port}, .* can't be reached\\. Send the request again\\.`));
    assert.deepEqual(forgotten, ['n1']);
  });

  it('ends when the others have declared its node dead, which no connection shows', async () => {
    const { host, asked } = await silentServer();
    const { ask, clock, service, forgotten } = await serviceFor(nodeAt(`http://${host}`));
    const answering = ask();
    await eventually(() => assert.equal(asked(), 1));
    service.living = [];
    await eventually(async () => {
      clock.advance(5_000);
      await new Promise(setImmediate);
      assert.deepEqual(forgotten, ['n1']);
    });
    const answer = await answering;
    const { code, message } = (await answer.json()) as { code: string; message: string };
    assert.deepEqual([answer.status, code], [502, 'NODE_LOST']);
    assert.match(message, new RegExp(`^The connection to the node ${host}, .* was lost\\. .* check before you send`));
    assert.doesNotMatch(message, /node-secret/);
  });

  it('F27: is lost if the node answers what is not HTTP, before or after its headers', async () => {
    let answer = '';
    const node = createTcpServer((socket) => {
      socket.on('error', () => undefined).once('data', () => socket.end(answer));
    });
    await new Promise<void>((resolve) => node.listen(0, '127.0.0.1', resolve));
    closing.push(() => node.close());
    const { ask } = await serviceFor(nodeAt(`http://127.0.0.1:${(node.address() as AddressInfo).port}`));
    const head = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n';
    const answers = [
      'no HTTP',
      `${head}transfer-encoding: chunked\r\n\r\nzz\r\n{}`,
      `${head}content-length: 9\r\n\r\n`,
    ];
    for (answer of answers) {
      const { status, ...response } = await readAll(ask());
      assert.deepEqual([status, response.code], [502, 'NODE_LOST'], answer);
    }
    answer = `${head}transfer-encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n`;
    assert.deepEqual(await readAll(ask()), { status: 200 });
  });
});

async function readAll(answer: Promise<Response>): Promise<{ status: number; code?: string }> {
  const response = await answer;
  return { status: response.status, ...((await response.json()) as object) };
}

describe('a node that is watched', () => {
  const turns = async () => {
    for (let turn = 0; turn < 5; turn++) await new Promise(setImmediate);
  };

  it('is gone when the fleet has lacked it twice, and nobody looks when none is watched', async () => {
    const clock = createFakeClock();
    const living = new Set(['n1', 'n2']);
    let looks = 0;
    let isDown = false;
    const { watch } = createNodeWatch(
      {
        nodes: async () => {
          looks++;
          if (isDown) throw new Error('down');
          return [...living].map((id) => ({ ...nodeAt('http://a'), id }));
        },
      },
      clock,
    );
    const gone: string[] = [];
    const look = async () => {
      clock.advance(5_000);
      await turns();
    };
    const end = watch('n1', () => gone.push('n1'));
    watch('n2', () => gone.push('n2'));
    await look();
    living.delete('n2');
    await look();
    assert.deepEqual(gone, []);
    isDown = true;
    await look();
    assert.deepEqual(gone, []);
    isDown = false;
    await look();
    assert.deepEqual([gone, looks], [['n2'], 4]);
    end();
    await look();
    await look();
    assert.deepEqual([gone, looks], [['n2'], 5]);
  });
});

/** Listens on a port where the system accepts no further connection, as if packets to the machine got lost. */
async function deafServer(closing: (() => unknown)[]): Promise<{ host: string; port: number }> {
  const host = '127.0.0.1';
  const program = `
    const { parentPort } = require('node:worker_threads');
    const server = require('node:net').createServer();
    server.listen({ host: '${host}', port: 0, backlog: 1 }, () => {
      parentPort.postMessage(server.address().port);
      // It accepts nothing while its thread waits.
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
    });`;
  const worker = new Worker(program, { eval: true });
  closing.push(() => worker.terminate());
  const port = await new Promise<number>((resolve) => worker.once('message', resolve));
  const waiting: Socket[] = [];
  closing.push(() => {
    for (const socket of waiting) socket.destroy();
  });
  for (let isFull = false; !isFull; ) {
    const socket = connect({ host, port });
    waiting.push(socket);
    isFull = await new Promise<boolean>((resolve) => {
      socket.once('connect', () => resolve(false));
      socket.on('error', () => resolve(true));
      // After what has happened meanwhile, in case this program was held up.
      setTimeout(() => setImmediate(() => resolve(socket.connecting)), 2_000);
    });
  }
  return { host, port };
}
