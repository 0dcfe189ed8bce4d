import assert from 'node:assert/strict';
import { once } from 'node:events';
import { WebSocket } from 'ws';
import type { FromViewer, ToViewer } from '../../src/contract/sessions/live-view.ts';
import { type Frame, liveProtocol, readFrame } from '../../src/contract/sessions/live-view-wire.ts';
import { eventually } from './eventually.ts';

export type SeenFrame = Frame & { jpeg: Uint8Array };

/** A headless viewer of a live view: it acknowledges frames and records messages. */
export interface TestViewer {
  socket: WebSocket;
  /** All messages of the service, in order. */
  told: ToViewer[];
  frames: number;
  /** The newest frame. */
  frame: SeenFrame | undefined;
  /** Code and reason of the closed socket. */
  closed: Promise<{ code: number; reason: string }>;
  send(message: FromViewer | object): void;
  /** The first message of a type that satisfies `test`; with `next`, only later messages count. */
  said<Type extends ToViewer['type']>(
    type: Type,
    test?: (message: Extract<ToViewer, { type: Type }>) => boolean,
  ): Promise<Extract<ToViewer, { type: Type }>>;
  /** Waits for a frame newer than those seen. */
  nextFrame(): Promise<SeenFrame>;
  close(): Promise<void>;
}

export interface TestViewerOptions {
  /** Stops acknowledging frames. */
  silent?: boolean;
  onFrame?(frame: SeenFrame): void;
  headers?: Record<string, string>;
}

/** Opens the socket of a live view's URL and waits for its welcome. */
export async function openViewer(pageUrl: string, options: TestViewerOptions = {}): Promise<TestViewer> {
  const socket = new WebSocket(pageUrl.replace(/^http/, 'ws'), [liveProtocol], {
    headers: options.headers,
    perMessageDeflate: false,
  });
  let end: string | undefined;
  const viewer: TestViewer = {
    socket,
    told: [],
    frames: 0,
    frame: undefined,
    closed: once(socket, 'close').then(([code, reason]) => ({ code, reason: String(reason) })),
    send: (message) => socket.send(JSON.stringify(message)),
    said: async (type, test = () => true) => {
      const fits = (message: ToViewer) => message.type === type && test(message as never);
      return (await until(
        () => viewer.told.find(fits),
        () => {
          const last = viewer.told.findLast((message) => message.type === type);
          return `message "${type}" like that; the last one: ${JSON.stringify(last)}; the socket: ${end ?? 'open'}`;
        },
      )) as never;
    },
    nextFrame: async () => {
      const before = viewer.frames;
      return await until(() => (viewer.frames > before ? viewer.frame : undefined), 'a picture');
    },
    close: async () => {
      socket.close();
      await viewer.closed;
    },
  };
  viewer.closed.then(
    ({ code, reason }) => {
      end = `closed with ${code} ${reason}`;
    },
    () => undefined,
  );
  socket.on('message', (data: Buffer, isBinary) => {
    if (!isBinary) return void viewer.told.push(JSON.parse(String(data)));
    const frame = readFrame(data);
    if (!frame) throw new Error('A frame could not be read.');
    viewer.frames++;
    viewer.frame = frame;
    options.onFrame?.(frame);
    if (!options.silent) viewer.send({ type: 'ack', seq: frame.seq });
  });
  await new Promise<void>((resolve, reject) => {
    socket.once('unexpected-response', (_request, response) =>
      reject(new Error(`The upgrade failed with status ${response.statusCode}.`)),
    );
    socket.once('error', reject);
    socket.once('open', resolve);
  });
  await viewer.said('welcome');
  return viewer;
}

/** Waits until there is a value. @param what names it, or what there is instead */
export async function until<Found>(
  find: () => Found | undefined | false | Promise<Found | undefined | false>,
  what: string | (() => string),
): Promise<Found> {
  return await eventually(async () => {
    const found = await find();
    assert.ok(found, `no ${typeof what === 'string' ? what : what()}`);
    return found;
  });
}
