// `npm run bench [name…]`: each benchmark prints its own figures; without a name, all run in turn.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const notBenchmarks = new Set(['bench.ts', 'figures.ts', 'processes.ts']);
const available = readdirSync(import.meta.dirname)
  .filter((file) => file.endsWith('.ts') && !notBenchmarks.has(file))
  .map((file) => file.slice(0, -3))
  .sort();
const asked = process.argv.slice(2);
const unknown = asked.filter((name) => !available.includes(name));
if (unknown.length > 0) {
  console.error(`Unknown benchmark "${unknown.join('", "')}". The benchmarks are: ${available.join(', ')}.`);
  process.exit(1);
}
for (const name of asked.length > 0 ? asked : available) {
  console.log(`\n# ${name}`);
  const { run } = (await import(pathToFileURL(join(import.meta.dirname, `${name}.ts`)).href)) as {
    run(): Promise<void>;
  };
  await run();
}
process.exit(0);
