import { createHash } from 'node:crypto';
import { decoded } from '../../../contract/lenient-texts.ts';
import { isTracker, withoutParameters } from '../../../contract/tracking.ts';
import { safeFileName } from '../../ui/virtual-documents/file-names.ts';

/** Characters of a file's path below the chosen folder: Windows allows 260 for the whole path. */
const maxPath = 160;
const maxDepth = 12;

/** The file of each page: a path of safe segments below the chosen folder, with `/`. Equal sets of URLs get equal names. */
export class PageFileNames {
  #files = new Map<string, string>();

  constructor(urls: Iterable<string>) {
    const taken = new Set<string>();
    // In a fixed order, so that saving again updates the same files.
    for (const url of [...new Set([...urls].map(withoutHash))].sort()) {
      const plain = fileName(url);
      let name = plain;
      // A site can have a page that is named like one with a hash.
      for (let text = url; taken.has(keyOf(name)); text += '#') name = withHash(plain, text);
      taken.add(keyOf(name));
      this.#files.set(url, name);
    }
  }

  /** Returns the file of a page's URL. */
  of(url: string): string | undefined {
    return this.#files.get(withoutHash(url));
  }

  /** Returns the file that a link leads to, whether its URL ends with a slash or not, and wherever the visit comes from. */
  linked(url: string): string | undefined {
    const exact = this.of(url);
    if (exact !== undefined || !URL.canParse(url)) return exact;
    const other = new URL(url);
    other.search = withoutParameters(other.search, isTracker);
    const plain = this.of(other.href);
    if (plain !== undefined) return plain;
    other.pathname = other.pathname.endsWith('/') ? other.pathname.slice(0, -1) : `${other.pathname}/`;
    return this.of(other.href);
  }
}

/** Returns the path of a page's file: a folder per site, then the URL's path. */
function fileName(url: string): string {
  if (!URL.canParse(url)) return `other/${withHash('page.md', url)}`;
  const { host, pathname, search } = new URL(url);
  const segments = pathname.split('/').slice(1).map(decoded);
  const last = segments.pop() ?? '';
  const folders = segments.filter(Boolean);
  const name = last === '' ? 'index' : last.replace(/\.(?:html?|md|php|aspx?)$/i, '') || 'index';
  const file = safeFileName(name, search ? decoded(search.slice(1)) : undefined);
  // No folder is named like a file: `/readme` and `/readme.md/raw` can both be pages.
  const names = folders.map((folder) => safeFileName(folder).replace(/\.md$/i, '-md'));
  const safe = [safeFileName(host), ...names, `${file}.md`];
  const path = safe.join('/');
  if (path.length <= maxPath && safe.length <= maxDepth) return path;
  return `${safe[0]?.slice(0, 60)}/${withHash(`${file.slice(0, 60).replace(/[\uD800-\uDBFF]$/, '')}.md`, url)}`;
}

function withHash(name: string, url: string): string {
  const hash = createHash('sha256').update(url).digest('hex').slice(0, 8);
  return name.replace(/\.md$/, `-${hash}.md`);
}

/** Names that differ in case or in their Unicode form are the same file on some systems. */
function keyOf(name: string): string {
  return name.normalize('NFKC').toLowerCase();
}

function withoutHash(url: string): string {
  return url.replace(/#.*$/s, '');
}
