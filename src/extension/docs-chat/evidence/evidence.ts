import { label, shortAddress } from '../../ui/text.ts';
import { siteAddress } from '../../ui/web-page.ts';
import type { Heading } from './headings.ts';

/** The texts that come with the extension. */
export interface OwnTexts {
  /** Names of the files. */
  names(): Promise<ReadonlySet<string>>;
  /** Empty where there is no such file. */
  headings(name: string): Promise<readonly Heading[]>;
}

/** What may be opened of a piece of evidence, and how. */
export type EvidenceTarget =
  | { kind: 'own'; file: string; anchor: string }
  | { kind: 'web'; url: string }
  /** A file that the embedded service named; it is opened only if it lies in one of its sources. */
  | { kind: 'file'; url: string }
  | { kind: 'none' };

/** A text that an answer rests on, as it is kept and shown. */
export interface Evidence {
  pathOrUrl: string;
  name: string;
  place?: string | undefined;
  reason?: string | undefined;
  opens: boolean;
}

const longestAddress = 8_000;
const ownAddress = /^([\w-]+(?:\.[\w-]+)*\.md)(?:#([^\s#]{1,500}))?$/i;

/** Splits `FILE.md#anchor` of our own texts; undefined for everything else, paths with folders among it. */
export function ownText(address: string): { file: string; anchor: string } | undefined {
  const match = ownAddress.exec(address);
  return match?.[1] ? { file: match[1], anchor: match[2] ?? '' } : undefined;
}

/** What an address that a server gave leads to. Schemes other than http and https lead nowhere, `file:` but from the embedded service. */
export function evidenceTarget(address: string, embedded: boolean, names: ReadonlySet<string>): EvidenceTarget {
  if (address.length > longestAddress) return { kind: 'none' };
  const own = ownText(address);
  if (own) return names.has(own.file) ? { kind: 'own', ...own } : { kind: 'none' };
  const site = siteAddress(address);
  if (site) return { kind: 'web', url: site.href };
  if (embedded && /^file:\/\/\//i.test(address) && URL.canParse(address)) return { kind: 'file', url: address };
  return { kind: 'none' };
}

/** Names a piece of evidence by its heading and its place. */
export async function describeEvidence(
  { pathOrUrl, reason }: { pathOrUrl: string; reason?: string | undefined },
  embedded: boolean,
  texts: OwnTexts,
): Promise<Evidence> {
  const target = evidenceTarget(pathOrUrl, embedded, await texts.names());
  const opens = target.kind !== 'none';
  const given = reason ? label(reason, 300) : undefined;
  if (target.kind === 'own') {
    const headings = await texts.headings(target.file);
    const heading = headings.find(({ anchor }) => anchor === target.anchor) ?? headings[0];
    const name = heading ? label(heading.text, 120) : target.file;
    // The heading stands there already.
    return { pathOrUrl, opens, name, place: target.file, reason: given?.replace(` under "${heading?.text}"`, '') };
  }
  if (target.kind === 'file') {
    const { pathname, hash } = new URL(target.url);
    const file = decoded(pathname.split('/').at(-1) ?? '');
    return { pathOrUrl, opens, name: label(`${file}${decoded(hash)}`, 120), place: 'folder source', reason: given };
  }
  return { pathOrUrl, opens, name: shortAddress(pathOrUrl, 120) || 'a text without a name', reason: given };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
