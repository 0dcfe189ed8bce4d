/**
 * What goes between the service and a runner program, as lines of JSON: to the program over file descriptor 3, from it
 * over 4. A third pipe, 5, carries nothing: its end tells the program that the service is no more.
 */
export type ToRunner = StartMessage | RunMessage;

/** The first message: where the browser is. It travels here and not in argv, which others can read. */
export interface StartMessage {
  type: 'start';
  cdpUrl: string;
  /** Folder that the browser's downloads go to, where Playwright is to look for them. */
  downloads?: string;
  /** Folder that holds playwright-core; absent where the program has its own Playwright. */
  playwright?: string;
  /** Where compiled code is kept from process to process. */
  cacheDirectory?: string;
  /** Megabytes that a snippet may allocate, where the program bounds that itself. */
  memoryLimit?: number;
}

export interface RunMessage {
  type: 'run';
  /** Names the run. Only the runner's own code sees it, so nothing that a snippet prints passes for a result. */
  nonce: string;
  code: string;
}

export type FromRunner = ReadyMessage | StartedMessage | ResultMessage;

export interface ReadyMessage {
  type: 'ready';
  /** Why the browser could not be reached. */
  error?: string;
}

/** The code begins to run: an end of the process before this was none of its doing. */
export interface StartedMessage {
  type: 'started';
  nonce: string;
}

export interface ResultMessage {
  type: 'result';
  nonce: string;
  exitCode: number;
  /** Text of the last value; absent when there is none. */
  result?: string;
  error?: string;
  truncated?: boolean;
}

/** Longest line that is read; a result and an error message fit with all their characters escaped. */
const longestLine = 16 * 1024 * 1024;

/** Cuts bytes into lines and reads each as JSON; what is no message is left out. */
export function createMessageReader(onMessage: (message: FromRunner) => void): (chunk: Buffer) => void {
  let parts: Buffer[] = [];
  let length = 0;
  return (chunk) => {
    let rest = chunk;
    for (;;) {
      const end = rest.indexOf(10);
      if (end === -1) break;
      parts.push(rest.subarray(0, end));
      const message = parse(Buffer.concat(parts));
      parts = [];
      length = 0;
      if (message) onMessage(message);
      rest = rest.subarray(end + 1);
    }
    length += rest.length;
    if (length > longestLine) parts = [];
    else parts.push(rest);
  };
}

function parse(line: Buffer): FromRunner | undefined {
  try {
    const message: unknown = JSON.parse(line.toString());
    if (typeof message !== 'object' || message === null || !('type' in message)) return undefined;
    if (message.type === 'ready' || message.type === 'started') return message as ReadyMessage | StartedMessage;
    if (message.type !== 'result' || !('exitCode' in message) || !Number.isInteger(message.exitCode)) return undefined;
    return message as ResultMessage;
  } catch {
    return undefined;
  }
}
