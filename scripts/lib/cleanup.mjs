// @ts-check
// Stops what this program started, however the program exits.

/** @typedef {{ stop: () => Promise<void>, kill: () => void }} Started stop: in order; kill: at once and synchronously */

/** @type {Set<Started>} */
const living = new Set();
let watching = false;

/** @type {string | undefined} */
let signalled;

/** Returns the signal that is stopping this program, if any: later failures are due to it. */
export const endingSignal = () => signalled;

/**
 * Makes sure that `started` stops with this program: in order on a signal, at once on any other exit.
 * @param {Started} started
 * @returns {() => void} call it when `started` has stopped
 */
export function endWithThisProgram(started) {
  watch();
  living.add(started);
  return () => living.delete(started);
}

function watch() {
  if (watching) return;
  watching = true;
  process.on('exit', () => {
    for (const started of living) started.kill();
  });
  const codes = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 };
  for (const [signal, code] of Object.entries(codes)) {
    process.once(signal, async () => {
      signalled = signal;
      await Promise.allSettled([...living].map((started) => started.stop()));
      process.exit(code);
    });
  }
}
