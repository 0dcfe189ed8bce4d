import assert from 'node:assert/strict';
import fc from 'fast-check';
import { scanCommand } from '../../src/service/browsers/chrome/command-scan.ts';
import { fuzz, hostileJson, hostileText } from '../harness/fuzzing.ts';

const name = fc.oneof(
  fc.constantFrom('id', 'method', 'params', 'sessionId'),
  hostileText.map((text) => text.toWellFormed().replaceAll('\\', '/')),
);
const object = fc.dictionary(name, hostileJson, { maxKeys: 5 });
/** What a text may become: a piece of it is replaced. */
const change = fc.record({
  at: fc.nat(),
  length: fc.nat(3),
  by: fc.constantFrom('', '"', '\\', '{', '}', '[', ']', ',', ':', '\0', '/*', '*/', '//', 'x', '1', '\n'),
});

function scan(bytes: Buffer, slice: number) {
  const read = scanCommand(bytes);
  for (let to = 0; ; ) {
    to = Math.min(to + slice, bytes.length);
    const found = read(to);
    if (found) return found;
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

describe('the scan of a command', () => {
  it('finds what a parser finds, and lets nothing out of the parameters', async () => {
    const cases = fc.record({
      value: object,
      indent: fc.nat(2),
      changes: fc.array(change, { maxLength: 3 }),
      slice: fc.integer({ min: 1, max: 100 }),
    });
    await fuzz(10, cases, ({ value, indent, changes, slice }) => {
      let text = JSON.stringify(value, null, indent).toWellFormed();
      for (const { at, length, by } of changes) {
        const from = at % (text.length + 1);
        text = text.slice(0, from) + by + text.slice(from + length);
      }
      // V8 takes a name that is written with an escape for one with a backslash that it has seen at that place: `"\u0000"` for `"\\"`.
      if (text.includes('\\\\')) return;
      const bytes = Buffer.from(text.toWellFormed());
      const { fields, problem } = scan(bytes, slice);
      const whole = parsed(String(bytes));
      const isObject = typeof whole === 'object' && whole !== null && !Array.isArray(whole);
      if (isObject) assert.notEqual(problem, 'malformed', text);
      if (problem) return;
      for (const [name, [start, end]] of fields) {
        const part = bytes.toString('utf8', start, end);
        if (isObject && name !== '') assert.deepEqual(parsed(part), (whole as Record<string, unknown>)[name], name);
        // As the command is sent: whatever the parameters are, they are one value, or no JSON.
        const sent = parsed(`{"id":1,"sessionId":"own","params":${part}}`) as Record<string, unknown> | undefined;
        if (sent) assert.deepEqual(Object.keys(sent), ['id', 'sessionId', 'params']);
        if (sent) assert.deepEqual([sent.id, sent.sessionId], [1, 'own']);
      }
    });
  });
});
