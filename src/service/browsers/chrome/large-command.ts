import { isUtf8 } from 'node:buffer';
import { createTurn } from '../../platform/async.ts';
import { joined } from '../../platform/large-json.ts';
import { isBidi } from './bidi/bidi.ts';
import { maxDepth, scanCommand } from './command-scan.ts';
import type { CdpMessage } from './messages.ts';

/** Bytes that are scanned at once. */
const sliceBytes = 64 * 1024;
/** A longer one isn't the method, ID or CDP session of any command. */
const longestField = 1000;

/** Domains with commands whose parameters the service reads or changes: what it can't read whole, it doesn't pass on. */
const readDomains = new Set(['Browser', 'Page', 'Storage', 'Target']);
/** The largest of these commands, in bytes, and the most values in one. */
const maxReadBytes = 4 * 1024 * 1024;
const maxReadValues = 20_000;

/** A command of a client, or why it can't be passed on. */
export interface ReadCommand {
  message: CdpMessage;
  problem?: string;
}

/**
 * Reads a large command of a client in short turns: its parameters stay as they are unless the service needs to know them.
 * Resolves with undefined if it isn't a JSON object.
 */
export async function readLargeCommand(fragments: readonly Buffer[]): Promise<ReadCommand | undefined> {
  const turn = createTurn();
  const bytes = await joined(fragments);
  if (!isUtf8(bytes)) return undefined;
  const scan = scanCommand(bytes);
  let to = 0;
  let found: ReturnType<typeof scan>;
  do {
    if (turn.isOver) await turn.end();
    to = Math.min(to + sliceBytes, bytes.length);
    found = scan(to);
  } while (!found);
  if (found.problem === 'malformed') return undefined;

  const { fields, values } = found;
  const read = (name: string) => {
    const [start, end] = fields.get(name) ?? [];
    if (start === undefined || end === undefined) return undefined;
    // Not as if it were missing: a command without a session is one for the browser.
    return end - start > longestField ? '' : JSON.parse(bytes.toString('utf8', start, end));
  };
  let message: CdpMessage;
  try {
    message = { id: read('id'), method: read('method'), sessionId: read('sessionId') };
  } catch {
    return undefined;
  }
  if (found.problem === 'deep')
    return { message, problem: `The parameters are nested deeper than ${maxDepth} levels.` };
  const { method } = message;
  if (isBidi(message) || (typeof method === 'string' && readDomains.has(method.slice(0, method.indexOf('.'))))) {
    if (bytes.length > maxReadBytes || values > maxReadValues) {
      const problem = `The command is too large: the service reads ${isBidi(message) ? 'this one' : `those of ${[...readDomains].join(', ')}`} itself, of at most ${maxReadBytes / 1024 / 1024} MiB and ${maxReadValues} values.`;
      return { message, problem };
    }
    return { message: JSON.parse(String(bytes)) };
  }
  const [start, end] = fields.get('params') ?? [];
  return { message: { ...message, ...(start !== undefined && { rawParams: bytes.subarray(start, end) }) } };
}
