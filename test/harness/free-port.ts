import { once } from 'node:events';
import { createServer, type Server } from 'node:net';

/**
 * Ports that no system gives away by itself: one that was given away and closed can be taken by any connection of another
 * process before it is used. Each process takes a block, by listening on the block's first port until it ends.
 */
const firstPort = 20_000;
const blocks = 200;
const blockSize = 50;

let ownBlock: Promise<number> | undefined;
let taken = 0;

/** Returns a port of loopback on which nobody listens, and which no other test is given. */
export async function freePort(): Promise<number> {
  ownBlock ??= takeBlock();
  const block = await ownBlock;
  for (let tried = 1; tried < blockSize; tried++) {
    const port = block + 1 + (taken++ % (blockSize - 1));
    const server = await listening(port);
    if (!server) continue;
    server.close();
    await once(server, 'close');
    return port;
  }
  throw new Error(`No port from ${block} on is free.`);
}

async function takeBlock(): Promise<number> {
  for (let tried = 0; tried < blocks; tried++) {
    const block = firstPort + ((process.pid + tried) % blocks) * blockSize;
    const server = await listening(block);
    if (!server) continue;
    server.unref();
    return block;
  }
  throw new Error(`All ports from ${firstPort} on are taken.`);
}

/** Returns a server that listens on the port, or undefined if the port is taken. */
async function listening(port: number): Promise<Server | undefined> {
  const server = createServer();
  return await new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) =>
      ['EADDRINUSE', 'EACCES'].includes(error.code ?? '') ? resolve(undefined) : reject(error),
    );
    server.listen(port, '127.0.0.1', () => resolve(server));
  });
}
