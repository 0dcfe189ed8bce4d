// `node convert.ts NAME PEERS FILES`: converts the files of a folder with the service, or with a converter in the folder of peers,
// and prints what became of each, the milliseconds of processor time that it took, and the most memory that the process had before and after.
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

/** A package of a peer as it is imported. */
// biome-ignore lint/suspicious/noExplicitAny: peers aren't dependencies, so that their types aren't known
type Package = any;
type Convert = (body: Buffer, path: string) => Promise<string> | string;

const [name = '', peers = '', files = ''] = process.argv.slice(2);

const converters: Record<string, () => Promise<Convert>> = {
  service: async () => {
    const { convertFile } = await import('../../unit/scrape/files/read.ts');
    return async (body, path) =>
      (await convertFile(body, path.endsWith('.csv') ? { type: 'text/csv' } : {})).markdown ?? '';
  },
  '@llamaindex/liteparse': async () => {
    const { LiteParse } = await load('@llamaindex/liteparse');
    const parser = new LiteParse({ outputFormat: 'markdown', imageMode: 'off', ocrEnabled: false, quiet: true });
    return async (_, path) => (await parser.parse(path)).text;
  },
  '@firecrawl/pdf-inspector': async () => {
    const { processPdf } = await load('@firecrawl/pdf-inspector');
    return (body) => processPdf(body).markdown ?? '';
  },
  '@firecrawl/anydoc': async () => {
    const { toMarkdown } = await load('@firecrawl/anydoc');
    return async (_, path) => await toMarkdown(path);
  },
  mammoth: async () => {
    const mammoth = await load('mammoth');
    return async (buffer) => (await mammoth.convertToMarkdown({ buffer })).value;
  },
};

async function load(packageName: string): Promise<Package> {
  const require = createRequire(join(resolve(peers), 'peers.cjs'));
  return await import(pathToFileURL(require.resolve(packageName)).href);
}

function processorMs(before: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

const convert = await converters[name]?.();
if (!convert) throw new Error(`There is no converter ${name}.`);
const idle = process.resourceUsage().maxRSS;
const results: { markdown?: string; ms: number }[] = [];
for (const file of readdirSync(files).sort()) {
  const path = join(files, file);
  const body = readFileSync(path);
  const before = process.cpuUsage();
  const markdown = await Promise.resolve()
    .then(() => convert(body, path))
    .catch(() => undefined);
  results.push({ ...(markdown !== undefined && { markdown }), ms: processorMs(before) });
}
process.stdout.write(JSON.stringify({ results, idle, most: process.resourceUsage().maxRSS }), () => process.exit(0));
