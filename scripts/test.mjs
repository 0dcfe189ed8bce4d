// Runs test suites: `node scripts/test.mjs [suite…] [file…] [-g PATTERN]`, by default all that do not need a desktop VS Code.
// A suite first installs what it needs. The last line says how many tests passed and failed over all suites; the exit code
// is 0 only if none failed.

if (Number(process.versions.node.split('.')[0]) < 24) {
  console.error(
    `test: Node 24 is required, but this is ${process.versions.node}. Run "npm run setup" once, then "npm test".`,
  );
  process.exit(1);
}

const { parseTestArguments } = await import('./lib/test-arguments.mjs');
const { startCheck } = await import('./lib/run-check.mjs');
const { runSuite, skipped } = await import('./lib/run-suite.mjs');
const { setUp } = await import('./lib/setup-steps.mjs');
const { SUITES } = await import('./lib/suites.mjs');
const { meanLoad } = await import('./lib/load.mjs');
const { nothing, sum, summaryLine, withFailure } = await import('./lib/summary.mjs');

let wanted;
try {
  wanted = parseTestArguments(process.argv.slice(2));
} catch (error) {
  console.error(`test: ${error.message}`);
  process.exit(1);
}

const needs = wanted.suites.flatMap((name) => [...SUITES[name].needs, ...(SUITES[name].parts ?? [])]);
const failed = await setUp([...new Set(needs)], console.log);
if (failed.has('build')) {
  console.error(`test: ${failed.get('build')}`);
  process.exit(1);
}

const checks = wanted.checks.map((name) => ({ name, ended: startCheck(name) }));
const results = [];
for (const name of wanted.suites) {
  title(name);
  const load = meanLoad();
  const missing = SUITES[name].needs.find((step) => failed.has(step));
  const counts = missing ? unavailable(name, failed.get(missing)) : await runSuite(name, wanted);
  console.log(`${name}: ${summaryLine(counts)} (${load.end()})`);
  results.push(counts);
}
for (const { name, ended } of checks) {
  title(name);
  const { counts, output } = await ended;
  if (output) console.log(output.trimEnd());
  console.log(`${name}: ${summaryLine(counts)}`);
  results.push(counts);
}

const total = sum(results);
if (total.failures.length > 0) console.log(`\nFailed:\n${total.failures.map((failure) => `  ${failure}`).join('\n')}`);
console.log(`\n${summaryLine(total)}`);
process.exitCode = total.failed === 0 ? 0 : 1;

function title(name) {
  console.log(`\n── ${name} ${'─'.repeat(Math.max(0, 60 - name.length))}`);
}

/** Where every suite has to run, one that can't has failed. */
function unavailable(name, reason) {
  const counts = skipped(name, reason);
  return process.env.CI ? withFailure(nothing(), `${name}: ${reason}`) : counts;
}
