import { Script } from 'node:vm';

/**
 * Returns an expression with the value of a script, which V8 decides how to read: as a script, whose value is that of its
 * last statement; as an expression that awaits; or as the body of an async function, with `return`.
 */
export function scriptValue(script: string): string {
  const readings = [script, `(async () => (\n${script}\n))()`, `(async () => {\n${script}\n})()`];
  // What can't be read at all fails in the page, with the error of its own text.
  const source = readings.find(compiles) ?? script;
  return `(0, eval)(${JSON.stringify(source)})`;
}

/** Whether V8 can compile a text. Nothing of it runs. */
function compiles(text: string): boolean {
  try {
    new Script(text);
    return true;
  } catch {
    return false;
  }
}
