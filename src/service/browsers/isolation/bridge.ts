// The first program in a sandbox with a network of its own. It connects ports of that network to the sockets that lead out,
// then starts the sandbox's program, and exits as that does. Everything in the sandbox ends with it.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { constants } from 'node:os';
import { joinSockets } from './join-sockets.ts';

/** Its first argument, as JSON; the others are the program and its arguments. */
interface BridgeArgument {
  /** Sockets by the port that leads to them. */
  ports: Record<string, string>;
  /** How many of the first file descriptors are for the program. */
  files: number;
}

const [argument = '', command = '', ...args] = process.argv.slice(2);
const { ports, files } = JSON.parse(argument) as BridgeArgument;

Promise.all(Object.entries(ports).map(([port, path]) => listen(Number(port), path))).then(start, fail);

function start(): void {
  const stdio = Array.from({ length: files }, () => 'inherit' as const);
  // A session of its own, because runners kill their process group.
  const child = spawn(command, args, { stdio, detached: true });
  child.once('error', fail);
  child.once('exit', (code, signal) => process.exit(signal ? 128 + constants.signals[signal] : (code ?? 1)));
}

function fail(error: Error): void {
  process.stderr.write(`${error.message}\n`);
  process.exit(127);
}

async function listen(port: number, path: string): Promise<void> {
  const server = createServer((inside) => joinSockets(inside, connect(path)));
  server.on('error', () => undefined);
  await once(server.listen(port, '127.0.0.1'), 'listening');
}
