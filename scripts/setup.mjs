// Makes a fresh clone ready: `node scripts/setup.mjs [step…]`, by default every step. Steps that are already done are skipped.

const [major = 0] = process.versions.node.split('.').map(Number);
if (major < 20) {
  console.error(
    `setup: Node 20 or later is required, but this is ${process.versions.node}. Install it from your system or https://nodejs.org.`,
  );
  process.exit(1);
}

const { STEPS } = await import('./lib/setup-steps.mjs');
const wanted = process.argv.length > 2 ? process.argv.slice(2) : Object.keys(STEPS);
const unknown = wanted.find((name) => !(name in STEPS));
if (unknown !== undefined) {
  console.error(`setup: unknown step "${unknown}". The steps are: ${Object.keys(STEPS).join(', ')}.`);
  process.exit(1);
}

for (const name of wanted) {
  const started = performance.now();
  const say = (what) => console.log(`setup: ${what}`);
  try {
    const done = await STEPS[name]((what) => say(`${what} …`));
    if (done !== undefined) say(`${done} (${((performance.now() - started) / 1000).toFixed(1)} s)`);
  } catch (error) {
    console.error(`setup: ${name} failed: ${error.message}`);
    process.exit(1);
  }
}
