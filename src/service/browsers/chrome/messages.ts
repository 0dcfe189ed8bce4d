/** A message of the Chrome DevTools Protocol: a command (id, method), a reply (id, result or error) or an event (method). */
export interface CdpMessage {
  id?: number;
  method?: string;
  params?: Record<string, unknown>;
  /** JSON of the parameters in UTF-8, in place of `params`, for a command that is too large to be parsed. */
  rawParams?: Buffer;
  sessionId?: string;
  result?: Record<string, unknown>;
  error?: { code: number; message: string; data?: unknown };
}

/** JSON of a message: a text, or the pieces of a large one in UTF-8. */
export type CdpText = string | Buffer[];

/** Messages of more bytes than this are parsed only if somebody needs what is in them. */
export const largeMessage = 256 * 1024;

/** Bytes of a message up to which what is in it can be parsed at once: hostile ones take 0.2 seconds a megabyte. */
const parsedAtOnce = 1024 * 1024;

/** What stands for an answer that isn't JSON. */
export const unreadable = {
  code: -32700,
  message: "The browser's answer isn't valid JSON, or too long to be read.",
};

/** Returns the message that a relay passes on. What is in a large one is parsed once somebody asks for it. */
export function messageOf(text: CdpText): CdpMessage {
  return typeof text === 'string' ? JSON.parse(text) : new LargeMessage(text);
}

/** Returns a message as JSON. */
export function textOf({ rawParams, ...message }: CdpMessage): CdpText {
  const text = JSON.stringify(message);
  return rawParams ? [Buffer.from(`${text.slice(0, -1)},"params":`), rawParams, Buffer.from('}')] : text;
}

/** Bytes at the start and end of a message that say where it goes. */
export const edgeBytes = 200;
const start = /^\{"(?:id":(\d+),"(?:result|error)|method":"([\w.]+)","params)":/;
const end = /,"sessionId":"([\w-]+)"\}$/;

/** Reads a message as a browser sends it; returns undefined if it isn't one. */
export function readMessage(pieces: Buffer[]): { message: CdpMessage; text: CdpText } | undefined {
  try {
    const [bytes = Buffer.alloc(0), ...others] = pieces;
    if (others.length > 0 || bytes.length > largeMessage) {
      const message = new LargeMessage(pieces);
      const isMessage = message.id !== undefined || message.method !== undefined;
      return isMessage ? { message, text: pieces } : undefined;
    }
    const text = String(bytes);
    const message: unknown = JSON.parse(text);
    return typeof message === 'object' && message !== null ? { message: message as CdpMessage, text } : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Returns what stands for a message that is too large to be kept: for an answer, an error; nothing for an event. Undefined if it
 * doesn't say where it goes.
 */
export function lostMessage(
  begin: Buffer,
  rest: Buffer,
  limit: number,
): { message: CdpMessage; text: string } | 'event' | undefined {
  const [, id, method] = start.exec(String(begin)) ?? [];
  const [, sessionId] = end.exec(String(rest.subarray(-edgeBytes))) ?? [];
  if (method !== undefined) return 'event';
  if (id === undefined) return undefined;
  const problem = `The browser's answer is longer than ${Math.round(limit / 1024 / 1024)} MiB.`;
  const message: CdpMessage = {
    id: Number(id),
    error: { code: -32000, message: problem },
    ...(sessionId && { sessionId }),
  };
  return { message, text: JSON.stringify(message) };
}

/**
 * A large message of a browser. Where it goes is read from its edges, where Chrome writes that; the rest is parsed once somebody
 * asks for it. What is longer than can be parsed at once has no parameters and, in place of a result, an error: its text is read in
 * turns, or passed on.
 */
class LargeMessage implements CdpMessage {
  readonly id: number | undefined;
  readonly method: string | undefined;
  readonly sessionId: string | undefined;
  readonly #pieces: Buffer[];
  readonly #isLong: boolean;
  #whole: CdpMessage | undefined;

  constructor(pieces: Buffer[]) {
    this.#pieces = pieces;
    this.#isLong = pieces.reduce((length, piece) => length + piece.length, 0) > parsedAtOnce;
    const [, id, method] = start.exec(String(pieces[0]?.subarray(0, edgeBytes))) ?? [];
    const tail = String(Buffer.concat(pieces.slice(-2).map((piece) => piece.subarray(-edgeBytes))));
    const [, sessionId] = end.exec(tail) ?? [];
    const isKnown = id !== undefined || (method !== undefined && sessionId !== undefined) || this.#isLong;
    const read = isKnown ? { id: id === undefined ? id : Number(id), method, sessionId } : this.#read();
    this.id = read.id;
    this.method = read.method;
    this.sessionId = read.sessionId;
  }

  get params() {
    return this.#read().params;
  }
  get result() {
    return this.#read().result;
  }
  get error() {
    return this.#read().error;
  }

  #read(): CdpMessage {
    if (this.#isLong) return { error: unreadable };
    try {
      this.#whole ??= JSON.parse(String(Buffer.concat(this.#pieces))) as CdpMessage;
    } catch {
      this.#whole = { error: unreadable };
    }
    return this.#whole;
  }
}

/**
 * Returns the start of a text that is kept for long. What `slice` returns keeps the whole text in memory: V8 only notes where
 * in it the part is.
 */
export function keptText(text: string, maxLength: number): string {
  return text.length <= maxLength ? text : structuredClone(text.slice(0, maxLength));
}
