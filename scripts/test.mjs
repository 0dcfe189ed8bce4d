// Runs test suites: `node scripts/test.mjs [suite…] [file…] [-g PATTERN]`, by default all that do not need a desktop VS Code.
// Suites that leave a processor idle run together; their reports are shown one after another. The last line says how many
// tests passed and failed over all suites; the exit code is 0 only if none failed.

if (Number(process.versions.node.split('.')[0]) < 24) {
  console.error(
    `test: Node 24 is required, but this is ${process.versions.node}. Run "npm run setup" once, then "npm test".`,
  );
  process.exit(1);
}

const { parseTestArguments } = await import('./lib/test-arguments.mjs');
const { CAPACITY, startSuite } = await import('./lib/run-suite.mjs');
const { makeSlots } = await import('./lib/slots.mjs');
const { sum, summaryLine } = await import('./lib/summary.mjs');

let wanted;
try {
  wanted = parseTestArguments(process.argv.slice(2));
} catch (error) {
  console.error(`test: ${error.message}`);
  process.exit(1);
}

const slots = makeSlots(CAPACITY);
const started = wanted.suites.map((name) => ({ name, suite: startSuite(name, wanted, slots) }));
const results = [];
for (const { name, suite } of started) {
  console.log(`\n── ${name} ${'─'.repeat(Math.max(0, 60 - name.length))}`);
  const { counts, seconds } = await suite.show();
  console.log(`${name}: ${summaryLine(counts)} (${seconds.toFixed(1)} s)`);
  results.push(counts);
}

const total = sum(results);
if (total.failures.length > 0) console.log(`\nFailed:\n${total.failures.map((failure) => `  ${failure}`).join('\n')}`);
console.log(`\n${summaryLine(total)}`);
process.exitCode = total.failed === 0 ? 0 : 1;
