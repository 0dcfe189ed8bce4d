import { ReceivedBytes } from '../../../contract/received-bytes.ts';

/** Reads a body as text. Rejects with an Error if it is longer than so many MiB; `what` names it there. */
export async function readText(body: AsyncIterable<Uint8Array> | null, maxMiB: number, what: string): Promise<string> {
  const received = new ReceivedBytes();
  for await (const chunk of body ?? []) {
    received.push(chunk);
    if (received.length > maxMiB * 1024 * 1024) throw new Error(`${what} is longer than ${maxMiB} MiB`);
  }
  return received.whole().toString('utf8');
}
