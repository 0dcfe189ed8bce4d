import { connect } from 'node:net';
import { patience } from './eventually.ts';

/** The end of a response's headers, for a connection that stays open. */
export const headEnd = /\r\n\r\n/;

/** Sends exact bytes to a local port and returns all data until the other side closes, or the data matches `enough`. */
export async function sendRaw(port: number, bytes: string | Buffer, enough?: RegExp): Promise<string> {
  return await new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1');
    let text = '';
    const done = () => {
      socket.destroy();
      resolve(text);
    };
    socket.setTimeout(patience, () => socket.destroy(new Error(`The connection stays open after: ${text}`)));
    socket.setEncoding('latin1').on('data', (chunk: string) => {
      text += chunk;
      if (enough?.test(text)) done();
    });
    socket.on('end', done);
    socket.on('error', (error: NodeJS.ErrnoException) => (error.code === 'ECONNRESET' ? done() : reject(error)));
    socket.write(bytes);
  });
}

/** The status of the first response in raw bytes; 0 when there is none. */
export function statusOf(answer: string): number {
  return Number(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1] ?? 0);
}
