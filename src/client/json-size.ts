const [quote, backslash, comma, bracket, brace] = [0x22, 0x5c, 0x2c, 0x5b, 0x7b];

/** Counts the values of a JSON text while it arrives: parsing it takes time for each of them, however short it is. */
export class JsonSize {
  values = 0;
  #inText = false;
  #escaped = false;

  add(bytes: Uint8Array): void {
    for (const byte of bytes) {
      if (this.#escaped) this.#escaped = false;
      else if (byte === quote) this.#inText = !this.#inText;
      else if (this.#inText) this.#escaped = byte === backslash;
      else if (byte === comma || byte === bracket || byte === brace) this.values++;
    }
  }
}
