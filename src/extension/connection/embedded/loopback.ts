import { Agent, request } from 'node:http';

/** Connections to this machine, never by way of a proxy: the global agent may be told to use one, and would tell it the key. */
export const loopbackAgent = new Agent({ keepAlive: false });
const bodyLimit = 64 * 1024;

/** One small GET to a port of 127.0.0.1, with no header of ours. Fails after `timeoutMs`. */
export function loopbackRequest(options: {
  port: number;
  path: string;
  timeoutMs: number;
  signal?: AbortSignal;
}): Promise<{ status: number; body: string }> {
  return new Promise((resolve, reject) => {
    const timeout = AbortSignal.timeout(options.timeoutMs);
    const signal = options.signal ? AbortSignal.any([timeout, options.signal]) : timeout;
    const call = request(
      { host: '127.0.0.1', port: options.port, path: options.path, agent: loopbackAgent, signal },
      (response) => {
        const chunks: Buffer[] = [];
        let size = 0;
        response.on('data', (chunk: Buffer) => {
          size += chunk.length;
          if (size > bodyLimit) call.destroy(new Error('the answer is too long'));
          chunks.push(chunk);
        });
        response.on('end', () =>
          resolve({ status: response.statusCode ?? 0, body: Buffer.concat(chunks).toString('utf8') }),
        );
        response.on('error', reject);
      },
    );
    call.on('error', (error) => reject(timeout.aborted ? new Error('it did not answer in time') : error));
    call.end();
  });
}
