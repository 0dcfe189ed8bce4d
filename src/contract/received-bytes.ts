/** Pieces that are kept as they arrived. */
const mostPieces = 1000;

/**
 * Bytes that arrive in pieces, which may be as small as one byte: each piece takes more memory than that, and keeps all that it
 * arrived in. So they are copied together as soon as there are many.
 */
export class ReceivedBytes {
  length = 0;
  #joined: Buffer[] = [];
  #pieces: Uint8Array[] = [];

  push(piece: Uint8Array): void {
    this.length += piece.length;
    this.#pieces.push(piece);
    if (this.#pieces.length === mostPieces) this.#joined.push(Buffer.concat(this.#pieces.splice(0)));
  }

  /** Returns a copy of all bytes. */
  whole(): Buffer {
    return Buffer.concat([...this.#joined, ...this.#pieces], this.length);
  }
}
