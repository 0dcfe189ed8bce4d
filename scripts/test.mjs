// Runs test suites: `node scripts/test.mjs [suite…] [file…] [-g PATTERN]`, by default all that do not need a desktop VS Code.
// The last line says how many tests passed and failed over all suites; the exit code is 0 only if none failed.

if (Number(process.versions.node.split('.')[0]) < 24) {
  console.error(
    `test: Node 24 is required, but this is ${process.versions.node}. Run "npm run setup" once, then "npm test".`,
  );
  process.exit(1);
}

const { parseTestArguments } = await import('./lib/test-arguments.mjs');
const { runSuite } = await import('./lib/run-suite.mjs');
const { sum, summaryLine } = await import('./lib/summary.mjs');

let wanted;
try {
  wanted = parseTestArguments(process.argv.slice(2));
} catch (error) {
  console.error(`test: ${error.message}`);
  process.exit(1);
}

const results = [];
for (const name of wanted.suites) {
  console.log(`\n── ${name} ${'─'.repeat(Math.max(0, 60 - name.length))}`);
  const started = performance.now();
  const counts = await runSuite(name, wanted);
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  console.log(`${name}: ${summaryLine(counts)} (${seconds} s)`);
  results.push(counts);
}

const total = sum(results);
if (total.failures.length > 0) console.log(`\nFailed:\n${total.failures.map((failure) => `  ${failure}`).join('\n')}`);
console.log(`\n${summaryLine(total)}`);
process.exitCode = total.failed === 0 ? 0 : 1;
