/** Reads a body as text. Rejects with an Error if it is longer than so many MiB; `what` names it there. */
export async function readText(body: AsyncIterable<Uint8Array> | null, maxMiB: number, what: string): Promise<string> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of body ?? []) {
    length += chunk.length;
    if (length > maxMiB * 1024 * 1024) throw new Error(`${what} is longer than ${maxMiB} MiB`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
