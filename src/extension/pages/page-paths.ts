/** Maps URLs of pages to paths of the read-only `webdata:` file system, and back. Doesn't use vscode. */

import { routeOf } from '../../contract/addresses.ts';
import { decoded } from '../../contract/lenient-texts.ts';

export type JobKind = 'crawl' | 'batch' | 'scrape';

/** What a document of a page shows. */
export type PageView = 'markdown' | 'html' | 'links' | 'metadata' | 'json' | 'screenshot';

const suffixes: Readonly<Record<PageView, string>> = {
  markdown: '.md',
  html: '.html',
  links: '.links.txt',
  metadata: '.metadata.json',
  json: '.json',
  screenshot: '.png',
};
const views = Object.keys(suffixes) as PageView[];

/** The parts of a document's path. */
export interface PagePath {
  kind: JobKind;
  jobId: string;
  /** Host and path of the page's URL, without its title and the suffix of the view; of a scrape, it may end with the title. */
  page: string;
  view: PageView;
}

/**
 * Returns a path such as `/crawl/3f2a…/docs.test/guide/setup#/Set Up.md`. It ends with the title of the page, if it is known,
 * which its tab then has.
 */
export function pathOf(
  { kind, id }: { kind: JobKind; id: string },
  url: string,
  view: PageView = 'markdown',
  title?: string | null,
): string {
  const name = titleOf(url, title);
  const page = kind === 'scrape' && name ? `${URL.parse(url)?.host || 'unknown'}/${name}` : titledName(url, title);
  return `/${kind}/${id}/${page}${suffixes[view]}`;
}

/** Ends the name of a page before its title. No name has it: slashes behind its `#` are encoded. */
const beforeTitle = '#/';

function titledName(url: string, title: string | null | undefined): string {
  return [pageName(url), titleOf(url, title)].filter(Boolean).join(beforeTitle);
}

/** Returns the title of a page as a segment of a path; empty for a file, which keeps its own name, and if nothing is left of it. */
function titleOf(url: string, title: string | null | undefined): string {
  if (!title || !/^https?:/.test(url)) return '';
  const plain = title.slice(0, 500).replace(/[?#%/\\\p{C}\s]+/gu, ' ');
  // What ends as the suffix of another view does would be taken for that.
  return [...plain.replace(/^[ .]+|\.(links|metadata)$/g, '')].slice(0, maxTitle).join('').trimEnd();
}

/** Parses a document's path; undefined for other paths, such as folders. */
export function parsePath(path: string): PagePath | undefined {
  const [, kind, jobId, rest] = /^\/(crawl|batch|scrape)\/([^/]+)\/(.+)$/s.exec(path) ?? [];
  if (kind === undefined || jobId === undefined || rest === undefined) return undefined;
  // Longer suffixes first: `.metadata.json` ends in `.json`, too.
  const view = [...views]
    .sort((one, other) => suffixes[other].length - suffixes[one].length)
    .find((candidate) => rest.endsWith(suffixes[candidate]));
  if (!view) return undefined;
  const [page = ''] = rest.slice(0, -suffixes[view].length).split(beforeTitle);
  return { kind: kind as JobKind, jobId, page, view };
}

/** Returns the host and path of a URL as a path that is readable and free of `.` and `..`. */
export function pageName(url: string): string {
  if (!URL.canParse(url)) return `unknown/${encodeURIComponent(url)}`;
  const { host, pathname, search, hash } = new URL(url);
  const segments = pathname.slice(1).split('/').map(readable);
  // The tab of a home page is named after its site.
  if (segments.at(-1) === '') segments[segments.length - 1] = segments.length === 1 ? host : indexName;
  return `${host || 'unknown'}/${segments.join('/')}${(search + routeOf(hash)).replaceAll('/', '%2F')}`;
}

/** Returns the URLs that a page's name may stand for, likeliest first. */
export function urlsOf(name: string): string[] {
  const text = name.replace(/[?#].*$/s, (search) => search.replaceAll('%2F', '/'));
  const plain = new RegExp(`(^[^?#]*/)${indexName}([?#].*)?$`, 's').exec(text);
  const [host = '', rest = ''] = text.split(/\/(.*)/s);
  if (host !== '' && rest.replace(/[?#].*$/s, '') === host) {
    const search = rest.slice(host.length);
    return [`https://${host}/${search}`, `http://${host}/${search}`].filter((url) => URL.canParse(url));
  }
  const variants = plain ? [`${plain[1]}${plain[2] ?? ''}`, text] : [text];
  return variants
    .flatMap((variant) => [`https://${variant}`, `http://${variant}`])
    .filter((url) => URL.canParse(url))
    .map((url) => new URL(url).href);
}

/**
 * Returns the relative path from one document to the document of a link's URL. `saved` has the links that lead to pages of
 * the job, with these pages. Undefined if the link leads elsewhere.
 */
export function relativeLink(fromPath: string, url: string, saved: SavedLinks): string | undefined {
  const from = parsePath(fromPath);
  const target = from && saved.get(linkKey(url));
  if (!from || target === undefined) return undefined;
  const { hash: fragment } = new URL(url);
  const hash = routeOf(fragment) === '' ? fragment : '';
  if (pageName(target.url) === from.page && hash) return hash;
  const file = fromPath.split('/').slice(3).join('/');
  return relativePath(file, `${titledName(target.url, target.title)}${suffixes.markdown}`) + hash;
}

/** The links of a page that lead to pages of its job: `linkKey` -> the page. */
export type SavedLinks = ReadonlyMap<string, { url: string; title?: string | null | undefined }>;

/** Returns a link's URL without a fragment that isn't a route, in one spelling. */
export function linkKey(url: string): string {
  if (!URL.canParse(url)) return url;
  const plain = new URL(url);
  plain.hash = routeOf(plain.hash);
  return plain.href;
}

/** Returns the relative, percent-encoded path from one file to another. */
export function relativePath(from: string, to: string): string {
  const fromFolders = from.split('/').slice(0, -1);
  const toSegments = to.split('/');
  let shared = 0;
  while (shared < fromFolders.length && shared < toSegments.length - 1 && fromFolders[shared] === toSegments[shared]) {
    shared++;
  }
  const up = fromFolders.slice(shared).map(() => '..');
  const down = toSegments.slice(shared).map((segment) => encodeURIComponent(segment));
  return up.length > 0 ? [...up, ...down].join('/') : `./${down.join('/')}`;
}

const indexName = 'index';
const maxTitle = 60;

function readable(segment: string): string {
  const text = decoded(segment);
  // Characters that would change the meaning of the path stay encoded.
  return /[?#%/\\\p{C}]/u.test(text) ? segment : text;
}
