/** Pieces that are kept as they arrived. */
const mostPieces = 1000;
/** Bytes that are copied at once. */
const copiedAtOnce = 4 * 1024 * 1024;

/**
 * Bytes that arrive in pieces, which may be as small as one byte: each piece takes more memory than that, and keeps all that it
 * arrived in. So they are copied together as soon as there are many.
 */
export class ReceivedBytes {
  length = 0;
  #joined: Uint8Array[] = [];
  #pieces: Uint8Array[] = [];
  /** Length of the pieces. */
  #bytes = 0;

  push(piece: Uint8Array): void {
    this.length += piece.length;
    this.#pieces.push(piece);
    this.#bytes += piece.length;
    if (this.#pieces.length < mostPieces) return;
    const pieces = this.#pieces.splice(0);
    this.#joined.push(...(this.#bytes > copiedAtOnce ? pieces : [Buffer.concat(pieces)]));
    this.#bytes = 0;
  }

  /** Returns a copy of all bytes. */
  whole(): Buffer {
    return Buffer.concat([...this.#joined, ...this.#pieces], this.length);
  }

  /** Returns a copy of all bytes, and lets others run in between. */
  async wholeInTurns(nextTurn: () => Promise<void>): Promise<Buffer> {
    const whole = Buffer.allocUnsafeSlow(this.length);
    let copied = 0;
    let turnEnd = copiedAtOnce;
    for (const piece of [...this.#joined, ...this.#pieces]) {
      if (copied + piece.length > turnEnd) {
        await nextTurn();
        turnEnd = copied + copiedAtOnce;
      }
      whole.set(piece, copied);
      copied += piece.length;
    }
    return whole;
  }
}
