// `npm run bench [name…]`: each benchmark prints its own figures; without a name, all run in turn. `--corpora DIR` is the
// folder of the public corpora that some of them measure with, `--without RULE` leaves out a rule of main content, `--peers DIR`
// is a folder into which npm, and pip for `files`, have installed what `markdown` and `files` compare with.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';

const notBenchmarks = new Set(['bench.ts', 'figures.ts', 'processes.ts']);
const available = readdirSync(import.meta.dirname)
  .filter((file) => file.endsWith('.ts') && !notBenchmarks.has(file))
  .map((file) => file.slice(0, -3))
  .sort();
const { positionals: asked, values } = parseArgs({
  allowPositionals: true,
  options: { corpora: { type: 'string' }, without: { type: 'string' }, peers: { type: 'string' } },
});
const unknown = asked.filter((name) => !available.includes(name));
if (unknown.length > 0) {
  console.error(`Unknown benchmark "${unknown.join('", "')}". The benchmarks are: ${available.join(', ')}.`);
  process.exit(1);
}
for (const name of asked.length > 0 ? asked : available) {
  console.log(`\n# ${name}`);
  const { run } = (await import(pathToFileURL(join(import.meta.dirname, `${name}.ts`)).href)) as {
    run(options: typeof values): Promise<void>;
  };
  await run(values);
}
process.exit(0);
