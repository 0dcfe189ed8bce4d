/** Prints a value as a line of JSON. Resolves when all of it is written, so that the process can exit. */
export function printJson(value) {
  return new Promise((resolve) => {
    process.stdout.once('error', () => resolve());
    process.stdout.write(`${JSON.stringify(value)}\n`, () => resolve());
  });
}
