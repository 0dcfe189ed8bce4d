import { Agent, request } from 'node:http';

/** An agent for connections to this machine that never uses a proxy: the global agent might, and would leak the key to it. */
export const loopbackAgent = new Agent({ keepAlive: false });
const bodyLimit = 64 * 1024;

/** Sends one small GET to a port on 127.0.0.1, without extra headers. Fails after `timeoutMs`. */
export function loopbackRequest(options: {
  port: number;
  path: string;
  timeoutMs: number;
}): Promise<{ status: number; body: string }> {
  return new Promise((resolve, reject) => {
    const signal = AbortSignal.timeout(options.timeoutMs);
    const call = request(
      { host: '127.0.0.1', port: options.port, path: options.path, agent: loopbackAgent, signal },
      (response) => {
        const chunks: Buffer[] = [];
        let size = 0;
        response.on('data', (chunk: Buffer) => {
          size += chunk.length;
          if (size > bodyLimit) call.destroy(new Error('the response is too large'));
          chunks.push(chunk);
        });
        response.on('end', () =>
          resolve({ status: response.statusCode ?? 0, body: Buffer.concat(chunks).toString('utf8') }),
        );
        response.on('error', reject);
      },
    );
    call.on('error', (error) => reject(signal.aborted ? new Error('it did not respond in time') : error));
    call.end();
  });
}
