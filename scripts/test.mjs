// Runs test suites: `node scripts/test.mjs [suite…] [file…] [-g PATTERN]`, by default those of `npm test`. A suite first
// installs what it needs. The last line says how many tests passed and failed over all suites; the exit code is 0 only if
// none failed.

if (Number(process.versions.node.split('.')[0]) < 24) {
  console.error(
    `test: Node 24 is required, but this is ${process.versions.node}. Run "npm run setup" once, then "npm test".`,
  );
  process.exit(1);
}

const { parseTestArguments } = await import('./lib/test-arguments.mjs');
const { failure } = await import('./lib/results.mjs');
const { startCheck } = await import('./lib/run-check.mjs');
const { runSuite, skipped } = await import('./lib/run-suite.mjs');
const { setUp } = await import('./lib/setup-steps.mjs');
const { SUITES } = await import('./lib/suites.mjs');
const { meanLoad } = await import('./lib/load.mjs');
const { summary, summaryLine } = await import('./lib/summary.mjs');
const { tryAgain } = await import('./lib/try-again.mjs');

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
/** @type {Map<string, import('./lib/results.mjs').Result[]>} */
const results = new Map();
const [first, ...others] = wanted.suites;
if (first) await runAndTell(first);
// They began with the first suite: what fails first is told first.
for (const { name, ended } of checks) {
  title(name);
  const { result, output } = await ended;
  if (output) console.log(output.trimEnd());
  console.log(`${name}: ${summaryLine([result])}`);
  results.set(name, [result]);
}
/** @type {(() => Promise<void>)[]} */
const beside = [];
for (const name of others) {
  if (SUITES[name].waits && name !== others.at(-1)) beside.push(startBeside(name));
  else await runAndTell(name);
}
for (const tell of beside) await tell();

const { results: last, flaky } = await tryAgain(results, async (name, file) => {
  title(`${name}, again`);
  return await runSuite(name, { ...wanted, files: [file] });
});
const { text, isGreen } = summary(last, flaky);
console.log(`\n${text}`);
process.exitCode = isGreen ? 0 : 1;

async function runAndTell(name) {
  title(name);
  await run(name);
}

/** Starts a suite beside others, and returns what waits for its end and prints its report. */
function startBeside(name) {
  const texts = [];
  const ended = run(name, (text) => texts.push(text));
  return async () => {
    await ended;
    title(name);
    console.log(texts.join('\n'));
  };
}

async function run(name, say) {
  const load = meanLoad();
  const missing = SUITES[name].needs.find((step) => failed.has(step));
  const ended = missing ? unavailable(name, failed.get(missing)) : await runSuite(name, wanted, say);
  (say ?? console.log)(`${name}: ${summaryLine(ended)} (${load.end()})`);
  results.set(name, ended);
}

function title(name) {
  console.log(`\n── ${name} ${'─'.repeat(Math.max(0, 60 - name.length))}`);
}

/** Where every suite has to run, one that can't has failed. */
function unavailable(name, reason) {
  return process.env.CI ? [failure(`${name}: ${reason}`)] : skipped(name, reason);
}
