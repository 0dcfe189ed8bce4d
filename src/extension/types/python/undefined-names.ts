const cellMarker = /^[ \t]*#[ \t]*%%/m;
/** As Pyright, Ruff and Pyflakes report it. */
const undefinedName = /(?:is not defined|undefined name)/i;
const sessionName = /["'`](?:page|context|browser|playwright)["'`]/;

/** Whether a Python text has cells. */
export function hasPythonCells(text: string): boolean {
  return cellMarker.test(text);
}

/** Whether a diagnostic reports a name of the session as undefined. */
export function isAboutSessionName(message: string): boolean {
  return undefinedName.test(message) && sessionName.test(message);
}
