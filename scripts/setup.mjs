// Makes a fresh clone ready: `node scripts/setup.mjs [step…]`, by default what `npm start` needs. What only tests need comes with
// the suites that use it. Steps that are already done are skipped.

const [major = 0] = process.versions.node.split('.').map(Number);
if (major < 20) {
  console.error(
    `setup: Node 20 or later is required, but this is ${process.versions.node}. Install it from your system or https://nodejs.org.`,
  );
  process.exit(1);
}

const { setUp, START_STEPS } = await import('./lib/setup-steps.mjs');
const wanted = process.argv.slice(2);
try {
  const failed = await setUp(wanted.length > 0 ? wanted : START_STEPS, console.log);
  for (const [name, reason] of failed) console.error(`setup: ${name} failed: ${reason}`);
  process.exitCode = failed.size === 0 ? 0 : 1;
} catch (error) {
  console.error(`setup: ${error.message}`);
  process.exitCode = 1;
}
