import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { kindOfFile } from '../../../src/service/web/scrape/file-kind.ts';
import { checks } from '../../unit/scrape/files/read.ts';
import { median, round } from '../figures.ts';
import { documents } from './documents.ts';
import { seen } from './seen.ts';

/** Kinds whose files in the tests are whole, by the names that tell those of archives. Those of slides have only the parts that the service reads. */
const archives: Record<string, readonly string[]> = {
  docx: ['word/document.xml'],
  xlsx: ['[Content_Types].xml', 'xl/workbook.xml'],
  odt: ['META-INF/manifest.xml', 'vnd.oasis.opendocument.text'],
  epub: ['mimetype', 'META-INF/container.xml'],
};
const kinds = ['pdf', 'rtf', 'csv', 'email'];
/** The converters that are compared, and what they read of these. */
const converters: Record<string, string> = {
  service: 'pdf docx odt rtf xlsx csv epub email',
  '@llamaindex/liteparse': 'pdf',
  '@firecrawl/pdf-inspector': 'pdf',
  '@firecrawl/anydoc': 'pdf docx odt rtf xlsx csv epub',
  'pymupdf4llm (Python)': 'pdf',
  'markitdown (Python)': 'pdf docx xlsx csv epub email',
  mammoth: 'docx',
};
/** Takes a second of processor time a page. */
const withoutCosts = 'pymupdf4llm (Python)';
/** How often each converter converts the documents whose time is compared. */
const rounds = 3;

interface Check {
  kind: string;
  markdown: string;
}

/**
 * Compares with converters in a folder into which npm, and pip in its folder `python`, have installed them: of the files of the tests in
 * test/unit/scrape, those in whose Markdown a reader sees the same as these tests do; and the time and memory of a page.
 */
export async function comparePeers(peers: string): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'files-'));
  try {
    const parts = process.env.WEBDATA_BENCH_PARTS?.split(',') ?? ['checks', 'costs'];
    if (parts.includes('costs')) compareCosts(peers, folder);
    if (!parts.includes('checks')) return;
    const asked = await collectChecks(join(folder, 'checks'));
    const figures: Record<string, Record<string, string>> = {};
    for (const [name, able] of Object.entries(converters)) {
      const answers = converted(name, peers, join(folder, 'checks'))?.results;
      if (!answers) {
        console.log(`${name} isn't there.`);
        continue;
      }
      const counts: Record<string, [right: number, all: number]> = {};
      asked.forEach(({ kind, markdown }, index) => {
        if (!able.split(' ').includes(kind)) return;
        const isRight = seen(answers[index]?.markdown ?? '').join('\n') === seen(markdown).join('\n');
        for (const key of [kind, 'all']) {
          const [right, all] = counts[key] ?? [0, 0];
          counts[key] = [right + (isRight ? 1 : 0), all + 1];
        }
      });
      figures[name] = Object.fromEntries(
        Object.entries(counts).map(([kind, [right, all]]) => [kind, `${right}/${all}`]),
      );
    }
    console.table(figures);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Runs the tests, and writes the files that they read into a folder. */
async function collectChecks(folder: string): Promise<Check[]> {
  const bodies: (() => Promise<void> | void)[] = [];
  Object.assign(globalThis, {
    describe: (_: string, define: () => void) => define(),
    it: (_: string, body: () => Promise<void>) => bodies.push(body),
  });
  const tests = join(import.meta.dirname, '../../unit/scrape');
  for (const name of ['documents.test.ts', ...readdirSync(join(tests, 'files')).map((each) => `files/${each}`)])
    if (name.endsWith('.test.ts')) await import(join(tests, name));
  for (const body of bodies) await body();
  mkdirSync(folder);
  return checks.flatMap(({ body, type, markdown }, index) => {
    const kind = extensionOf(body, type);
    if (kind === undefined) return [];
    const extension = kind === 'email' ? 'eml' : kind;
    writeFileSync(join(folder, `${String(index).padStart(4, '0')}.${extension}`), body);
    return [{ kind, markdown }];
  });
}

/** The extension of a file of the kinds that are compared; undefined for others. */
function extensionOf(body: Buffer, type: string | undefined): string | undefined {
  const kind = kindOfFile(type, body);
  if (kind === 'zip') {
    return Object.keys(archives).find((each) => archives[each]?.every((name) => body.includes(name)));
  }
  return kind !== undefined && kinds.includes(kind) ? kind : undefined;
}

/** Prints the time and memory of documents as ratios to those of the service. Converters take turns. */
function compareCosts(peers: string, folder: string): void {
  const figures: Record<string, Record<string, string>> = {};
  for (const [file, { body, pages }] of Object.entries(documents())) {
    const of = join(folder, file);
    mkdirSync(of);
    // The first file only makes what is loaded lazily ready.
    for (const time of [0, 1]) writeFileSync(join(of, `${time}-${file}`), body);
    const able = Object.keys(converters).filter(
      (name) =>
        name !== withoutCosts &&
        converters[name]?.split(' ').includes(file.split('.')[1] ?? '') &&
        converted(name, peers, of),
    );
    const runs = Array.from({ length: rounds }, () => able.map((name) => converted(name, peers, of)));
    const costs = able.map((_, index) => ({
      ms: median(runs.map((run) => run[index]?.results[1]?.ms ?? Number.NaN)) / pages,
      kilobytes: median(runs.map((run) => (run[index]?.most ?? 0) - (run[index]?.idle ?? 0))) / pages,
    }));
    const [own] = costs;
    able.forEach((name, index) => {
      const { ms = 0, kilobytes = 0 } = costs[index] ?? {};
      figures[name] = {
        ...figures[name],
        [`${file}, time`]: `${round(ms / (own?.ms ?? 1))} (${round(ms)} ms a page)`,
        [`${file}, memory`]: `${round(kilobytes / (own?.kilobytes ?? 1))} (${round(kilobytes)} kB a page)`,
      };
    });
  }
  console.table(figures);
}

interface Converted {
  results: { markdown?: string; ms: number }[];
  idle: number;
  most: number;
}

/** Converts the files of a folder in a process of its own; undefined if the converter isn't there. */
function converted(name: string, peers: string, files: string): Converted | undefined {
  const [program, script] = name.endsWith('(Python)') ? ['python3', 'convert.py'] : [process.execPath, 'convert.ts'];
  const args = [join(import.meta.dirname, script), name.split(' ')[0] ?? '', resolve(peers), files];
  try {
    return JSON.parse(
      execFileSync(program, args, { encoding: 'utf8', maxBuffer: 2 ** 28, stdio: ['ignore', 'pipe', 'ignore'] }),
    ) as Converted;
  } catch {
    return undefined;
  }
}
