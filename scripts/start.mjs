// `npm start` opens VS Code with the extension on examples/; `npm start -- --check [--file F]` runs a file there
// unattended and prints one JSON line.
import { existsSync } from 'node:fs';
import { printJson } from './lib/print.mjs';

if (Number(process.versions.node.split('.')[0]) < 24) {
  console.error(
    `start: Node 24 is required, but this is ${process.versions.node}. Run "npm run setup" once, then "npm start".`,
  );
  process.exit(1);
}

const { parseStartArguments } = await import('./lib/start-arguments.mjs');
const { shorten } = await import('../src/contract/shorten.ts');

let wanted;
try {
  wanted = parseStartArguments(process.argv.slice(2), process.env.INIT_CWD ?? process.cwd());
  if (wanted.file && !existsSync(wanted.file)) throw new Error(`${shorten(wanted.file)} does not exist.`);
} catch (error) {
  fail(error);
}

if (wanted.check) {
  const { check } = await import('./lib/check.ts');
  const report = await check(wanted.file).catch((error) => ({ ok: false, error: error.message }));
  await printJson(report);
  process.exit(report.ok ? 0 : 1);
} else {
  const { openInBrowser } = await import('./lib/open-in-browser.mjs');
  await openInBrowser(wanted).catch(fail);
}

function fail(error) {
  console.error(`start: ${error.message}`);
  if (process.argv.includes('--check')) console.log(JSON.stringify({ ok: false, error: error.message }));
  process.exit(1);
}
