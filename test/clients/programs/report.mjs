// What the programs have in common.

/** Writes what a call returned as a line of JSON. */
export const print = (line) => process.stdout.write(`${JSON.stringify(line)}\n`);

/** Returns the value of a text that is JSON, and other texts as they are. */
export function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** The ID of no job. */
export const unknown = '00000000-0000-4000-8000-000000000000';
