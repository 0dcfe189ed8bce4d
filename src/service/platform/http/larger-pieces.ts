import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { ReceivedBytes } from '../../../contract/received-bytes.ts';

/** A body as it arrives, with all that arrived in one turn in one piece. */
export interface LargerPieces {
  body: Readable;
  /** Leaves the rest of the body to others. */
  stop(): void;
}

/** Joins the pieces in which a body arrives: parsers need as long for a piece of one byte as for one of thousands. */
export function inLargerPieces(request: IncomingMessage): LargerPieces {
  let received = new ReceivedBytes();
  const body = new Readable({ read: () => void request.resume() });
  const flush = () => {
    if (received.length === 0 || body.destroyed) return;
    const piece = received.whole();
    received = new ReceivedBytes();
    if (!body.push(piece)) request.pause();
  };
  const onData = (piece: Buffer) => {
    if (received.length === 0) setImmediate(flush);
    received.push(piece);
  };
  const onEnd = () => {
    flush();
    body.push(null);
  };
  const onError = (error: Error) => void body.destroy(error);
  request.on('data', onData).once('end', onEnd).once('error', onError);
  return {
    body,
    stop() {
      request.off('data', onData).off('end', onEnd).off('error', onError).resume();
      body.destroy();
    },
  };
}
