import { readLargeJson } from '../../platform/read-large-json.ts';
import { type CdpMessage, type CdpText, messageOf, unreadable } from './messages.ts';
import { notifyAll } from './pipe.ts';

/** Characters of a text in an event, from which on it is cut: no picture has as many, and nobody keeps as many of what pages say. */
const longestText = 16_000_000;

export interface Reader {
  take(message: CdpMessage): void;
  /** Whether somebody listens to an event: what others say isn't read. */
  hears(method: string | undefined): boolean;
  /** Stops the browser's messages until the function that it returns is called. */
  pause(): () => void;
  /** Reports an error that a message caused. */
  fault(error: unknown): void;
}

/**
 * Returns what a client of the service itself receives messages with. It takes them in the order of their arrival, and nothing
 * else waits while a large one is read.
 */
export function readInOrder({ take, hears, pause, fault }: Reader): (text: CdpText, message?: CdpMessage) => void {
  const arrived: [text: CdpText, message: CdpMessage][] = [];
  let isReading = false;

  function receive(text: CdpText, message: CdpMessage = messageOf(text)): void {
    if (isReading) arrived.push([text, message]);
    else if (message.id === undefined && !hears(message.method)) return;
    else if (typeof text === 'string') take(message);
    else void read(text, message);
  }

  async function read(text: Buffer[], { id }: CdpMessage): Promise<void> {
    isReading = true;
    const resume = pause();
    const longest = id === undefined ? longestText : undefined;
    const whole = await readLargeJson(text, longest).catch(() => id !== undefined && { id, error: unreadable });
    isReading = false;
    resume();
    if (whole) notifyAll([take], [whole as CdpMessage], fault);
    for (let next = arrived.shift(); next; next = isReading ? undefined : arrived.shift())
      notifyAll([receive], next, fault);
  }

  return receive;
}
