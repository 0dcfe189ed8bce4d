const [quote, backslash, comma, bracket, brace] = [0x22, 0x5c, 0x2c, 0x5b, 0x7b];

/** Counts the values of a JSON text while it arrives: parsing it takes time for each of them, however short it is. */
export class JsonSize {
  values = 0;
  #inText = false;
  #escaped = false;

  add(bytes: Uint8Array): void {
    // Fields, which are slower to read and write than variables, would take most of the time.
    let [values, inText, escaped] = [this.values, this.#inText, this.#escaped];
    for (let index = 0; index < bytes.length; index++) {
      const byte = bytes[index];
      if (inText) {
        if (escaped) escaped = false;
        else if (byte === quote) inText = false;
        else escaped = byte === backslash;
      } else if (byte === quote) inText = true;
      else if (byte === comma || byte === bracket || byte === brace) values++;
    }
    [this.values, this.#inText, this.#escaped] = [values, inText, escaped];
  }
}
