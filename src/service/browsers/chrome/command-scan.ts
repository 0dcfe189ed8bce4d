/** Levels of a command's parameters. If there are more than 300, Chrome's answer lacks the command's ID. */
export const maxDepth = 250;

/** What a scan has found. */
export interface Found {
  /** The places of the values in the outermost object, by their names: of the first byte, and after the last one. */
  fields: ReadonlyMap<string, readonly [start: number, end: number]>;
  /** How many values there are in all. */
  values: number;
  /** Why the JSON can't be used. The fields before that are known. */
  problem?: 'malformed' | 'deep';
}

const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
const colon = 0x3a;
const openArray = 0x5b;
const closeArray = 0x5d;
const openObject = 0x7b;
const closeObject = 0x7d;
const firstOfText = 0x20;

const codesOf = (characters: RegExp) =>
  Uint8Array.from({ length: 256 }, (_, code) => Number(code < 0x80 && characters.test(String.fromCharCode(code))));
const isSpace = codesOf(/[ \t\n\r]/);
/** What numbers, `true`, `false` and `null` consist of. */
const isInScalar = codesOf(/[-+.\dA-Za-z]/);
/** A longer name isn't that of a field that anybody looks for. */
const longestName = 100;

/** What may come next. */
const expects = { value: 0, valueOrEnd: 1, name: 2, nameOrEnd: 3, colon: 4, next: 5, nothing: 6 } as const;

/**
 * Reads the structure of a JSON object. What is in its texts and numbers is for its receiver to check, but where they end isn't a
 * matter of opinion: control characters aren't allowed, nor is anything outside of RFC 8259, such as comments.
 * @returns a function that reads up to a byte, and returns what was found as soon as there is no more to read
 */
export function scanCommand(bytes: Uint8Array): (to: number) => Found | undefined {
  const fields = new Map<string, readonly [number, number]>();
  const isObject = new Uint8Array(maxDepth + 3);
  let at = 0;
  let depth = 0;
  let values = 0;
  let state: number = expects.value;
  /** Where a name begins, or a value of the outermost object. */
  let start = 0;
  let name = '';
  let within: 'text' | 'name' | 'scalar' | undefined;
  let problem: Found['problem'];

  function endValue(): void {
    if (depth === 1) fields.set(name, [start, at]);
    state = depth === 0 ? expects.nothing : expects.next;
  }

  function beginValue(code: number): void {
    values++;
    if (depth === 1) start = at;
    if (code === openObject || (code === openArray && depth > 0)) {
      if (++depth > maxDepth + 1) problem = 'deep';
      isObject[depth] = Number(code === openObject);
      state = code === openObject ? expects.nameOrEnd : expects.valueOrEnd;
      at++;
    } else if (code === quote && depth > 0) {
      within = 'text';
      at++;
    } else if (isInScalar[code] && depth > 0) within = 'scalar';
    else problem = 'malformed';
  }

  function endName(): void {
    state = expects.colon;
    if (depth !== 1) return;
    name = '';
    if (at - start > longestName) return;
    try {
      name = JSON.parse(String(Buffer.from(bytes.subarray(start, at))));
    } catch {
      problem = 'malformed';
    }
  }

  function step(code: number): void {
    const mayEnd = state === expects.next || state === expects.valueOrEnd || state === expects.nameOrEnd;
    if (isSpace[code]) at++;
    else if (mayEnd && code === (isObject[depth] ? closeObject : closeArray)) {
      at++;
      depth--;
      endValue();
    } else if (state === expects.next && code === comma) {
      at++;
      state = isObject[depth] ? expects.name : expects.value;
    } else if (state === expects.colon && code === colon) {
      at++;
      state = expects.value;
    } else if ((state === expects.name || state === expects.nameOrEnd) && code === quote) {
      start = depth === 1 ? at : start;
      within = 'name';
      at++;
    } else if (state === expects.value || state === expects.valueOrEnd) beginValue(code);
    else problem = 'malformed';
  }

  /** Reads on to the end of a text or number. */
  function stepWithin(to: number): void {
    let next = at;
    if (within === 'scalar') while (next < to && isInScalar[bytes[next] as number]) next++;
    else {
      for (; next < to; next++) {
        const code = bytes[next] as number;
        if (code === quote || code < firstOfText) break;
        if (code === backslash && (bytes[++next] as number) < firstOfText) break;
      }
    }
    at = next;
    if (next >= to) return;
    if (within === 'scalar') endValue();
    else if (bytes[next] !== quote) problem = 'malformed';
    else {
      at++;
      if (within === 'name') endName();
      else endValue();
    }
    within = undefined;
  }

  return (to) => {
    while (at < to && !problem) {
      if (within) stepWithin(to);
      else step(bytes[at] as number);
    }
    if (to >= bytes.length && state !== expects.nothing) problem ??= 'malformed';
    if (problem) return { fields, values, problem };
    return to >= bytes.length ? { fields, values } : undefined;
  };
}
