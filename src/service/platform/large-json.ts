import { createTurn, type Turn } from './async.ts';

/** Characters and values of what is written at once. */
const mostAtOnce = 64 * 1024;

/**
 * Returns whether it takes more than a moment to write plain data as JSON: whether it has more characters and values than `most`.
 * @param each how much a character counts
 */
export function isLarge(value: unknown, most = mostAtOnce, each = 1): boolean {
  return roomAfter(value, most, each) < 0;
}

/** Returns what is left of `room` after a value; negative as soon as there is none. */
function roomAfter(value: unknown, room: number, each: number): number {
  if (typeof value === 'string') return room - value.length * each - 1;
  if (typeof value !== 'object' || value === null) return room - 1;
  let left = room - 1;
  if (Array.isArray(value)) {
    for (let at = 0; at < value.length && left >= 0; at++) left = roomAfter(value[at], left, each);
    return left;
  }
  for (const key in value) {
    if (left < 0) break;
    left = roomAfter((value as Record<string, unknown>)[key], left - key.length * each, each);
  }
  return left;
}

/** Returns the JSON of plain data in UTF-8. It is written in short turns, so that nothing else waits for all of it. */
export async function jsonChunks(value: unknown): Promise<Buffer[]> {
  const chunks: Buffer[] = [];
  for await (const text of batched(parts(value))) chunks.push(Buffer.from(text));
  return chunks;
}

/** Returns the JSON of plain data: of much of it in UTF-8, written in short turns. */
export async function jsonOf(value: unknown): Promise<string | Buffer> {
  return isLarge(value) ? await joined(await jsonChunks(value)) : JSON.stringify(value);
}

async function* batched(texts: Iterable<string>): AsyncIterable<string> {
  const turn: Turn = createTurn();
  let batch = '';
  for (const text of texts) {
    batch += text;
    if (batch.length < mostAtOnce) continue;
    yield batch;
    batch = '';
    if (turn.isOver) await turn.end();
  }
  if (batch !== '') yield batch;
}

function* parts(value: unknown): Iterable<string> {
  if (!isLarge(value)) yield JSON.stringify(value) ?? 'null';
  else if (typeof value === 'string') {
    yield '"';
    for (const slice of slices(value)) yield JSON.stringify(slice).slice(1, -1);
    yield '"';
  } else if (Array.isArray(value)) {
    yield '[';
    for (const [index, item] of value.entries()) {
      if (index > 0) yield ',';
      yield* parts(item);
    }
    yield ']';
  } else {
    let before = '{';
    for (const [key, item] of Object.entries(value as object)) {
      if (item === undefined) continue;
      yield `${before}${JSON.stringify(key)}:`;
      yield* parts(item);
      before = ',';
    }
    yield before === '{' ? '{}' : '}';
  }
}

/** Returns chunks as one buffer. They are copied in short turns: the memory of a large one takes a moment to set up. */
export async function joined(chunks: readonly Buffer[]): Promise<Buffer<ArrayBuffer>> {
  const turn = createTurn();
  const whole = Buffer.allocUnsafeSlow(chunks.reduce((sum, { byteLength }) => sum + byteLength, 0));
  let at = 0;
  for (const chunk of chunks) {
    at += chunk.copy(whole, at);
    if (turn.isOver) await turn.end();
  }
  return whole;
}

/** Returns a long text in slices, none of which ends within a character. */
export function* slices(text: string): Iterable<string> {
  for (let at = 0; at < text.length; ) {
    const end = at + mostAtOnce;
    const splits = end < text.length && (text.charCodeAt(end - 1) & 0xfc00) === 0xd800;
    yield text.slice(at, splits ? end + 1 : end);
    at = splits ? end + 1 : end;
  }
}
