import { createRequire, registerHooks } from 'node:module';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import MarkdownIt from 'markdown-it';
import { converted, markdown } from '../../harness/page-markdown.ts';
import { checks } from '../../unit/scrape/markdown/convert.ts';
import { shown } from '../../unit/scrape/markdown/shown.ts';

type Convert = (html: string) => string;
/** A package of a peer as it is imported. */
// biome-ignore lint/suspicious/noExplicitAny: peers aren't dependencies, so that their types aren't known
type Package = any;

const url = 'https://site.test/';

/** The peers that npm has, by the packages that they are made of. */
const peers: Record<string, { packages: string[]; create(...packages: Package[]): Convert }> = {
  'turndown with the plugin GFM': {
    packages: ['turndown', '@joplin/turndown-plugin-gfm'],
    create: ({ default: Turndown }, { gfm }) => {
      const service = new Turndown({ headingStyle: 'atx', codeBlockStyle: 'fenced' });
      service.use(gfm);
      return (html) => service.turndown(html);
    },
  },
  'rehype-remark with remark-gfm': {
    packages: ['unified', 'rehype-parse', 'rehype-remark', 'remark-gfm', 'remark-stringify'],
    create: ({ unified }, ...plugins) => {
      const pipeline = plugins.reduce((all: Package, plugin: Package) => all.use(plugin.default), unified());
      return (html) => String(pipeline.processSync(html));
    },
  },
  '@mdream/js': {
    packages: ['@mdream/js'],
    create:
      ({ htmlToMarkdown }) =>
      (html) =>
        htmlToMarkdown(html),
  },
  'html-to-markdown, WebAssembly': {
    packages: ['@kreuzberg/html-to-markdown-wasm'],
    create:
      ({ convert }) =>
      (html) =>
        convert(html).content ?? '',
  },
  'node-html-markdown': {
    packages: ['node-html-markdown'],
    create:
      ({ NodeHtmlMarkdown }) =>
      (html) =>
        NodeHtmlMarkdown.translate(html),
  },
};

/** The examples of CommonMark's specification that aren't about raw HTML. */
const examples: { section: string; html: string }[] = createRequire(import.meta.url)('commonmark-spec').tests.filter(
  ({ section }: { section: string }) => !/^(HTML blocks|Raw HTML)$/.test(section),
);

/**
 * Compares with the peers in a folder into which npm has installed them: of the checks of tables, code, text and nesting in
 * test/unit/scrape/markdown, those whose Markdown a reader renders as ours; and the examples of CommonMark that become the
 * same HTML again. Peers get the HTML of the content that the service keeps.
 */
export async function comparePeers(folder: string): Promise<void> {
  const parentURL = pathToFileURL(join(resolve(folder), 'peers.mjs')).href;
  const packages = new Set(Object.values(peers).flatMap((peer) => peer.packages));
  registerHooks({
    resolve: (name, context, next) => next(name, packages.has(name) ? { ...context, parentURL } : context),
  });
  const asked = await collectChecks();
  const figures = [
    figuresOf(
      'the service',
      asked.map(({ content, kept }) => ({ ...kept, markdown: markdown(content, { url }) })),
      (html) => markdown(html, { url, onlyMainContent: false }),
    ),
  ];
  for (const [name, { packages: parts, create }] of Object.entries(peers)) {
    const convert = create(...(await Promise.all(parts.map((part) => import(part)))));
    figures.push(
      figuresOf(
        name,
        asked.map(({ kept }) => ({ ...kept, markdown: attempt(convert, kept.html) })),
        convert,
      ),
    );
  }
  console.table(Object.fromEntries(figures));
}

interface Answer {
  html: string;
  expected: string;
  markdown: string;
}

/** Loads the tests for what they check. */
async function collectChecks() {
  Object.assign(globalThis, { describe: (_: string, define: () => void) => define(), it: () => {} });
  for (const name of ['tables', 'code', 'text', 'nesting']) await import(`../../unit/scrape/markdown/${name}.test.ts`);
  return checks.map(({ content, markdown }) => {
    const page = `<main>${content}</main>`;
    return { content: page, kept: { html: converted(page, { url, html: true }).html ?? '', expected: markdown } };
  });
}

function figuresOf(name: string, answers: readonly Answer[], convert: Convert): [string, Record<string, string>] {
  const reader = new MarkdownIt({ html: true });
  reader.validateLink = () => true;
  const asRead = (markdown: string) => shown(reader.render(markdown));
  // Blank lines between items are a matter of taste.
  const said = (markdown: string) => asRead(markdown).replaceAll(/<\/?p>\n?/g, '');
  const right = answers.filter(({ markdown, expected }) => said(markdown) === said(expected)).length;
  const same = examples.filter(({ html }) => asRead(attempt(convert, html)) === shown(html)).length;
  return [
    name,
    { 'read as expected': `${right} of ${answers.length}`, 'the same HTML again': `${same} of ${examples.length}` },
  ];
}

function attempt(convert: Convert, html: string): string {
  try {
    return convert(html);
  } catch {
    return '';
  }
}
