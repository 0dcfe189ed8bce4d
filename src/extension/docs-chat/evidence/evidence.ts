import * as l10n from '@vscode/l10n';
import { siteAddress } from '../../../contract/addresses.ts';
import { decoded } from '../../../contract/lenient-texts.ts';
import type { ShownEvidence } from '../../../webviews/docs/messages.ts';
import { label, shortAddress } from '../../ui/text/text.ts';
import type { Heading } from './headings.ts';

/** The docs that come with the extension. */
export interface BundledDocs {
  /** Returns the names of the files. */
  names(): Promise<ReadonlySet<string>>;
  /** Returns the headings of a file; empty if it doesn't exist. */
  headings(name: string): Promise<readonly Heading[]>;
}

/** What a piece of evidence opens. */
export type EvidenceTarget =
  | { kind: 'bundled'; file: string; anchor: string }
  | { kind: 'web'; url: string }
  /** A file named by the embedded service; opened only if it is in one of its sources. */
  | { kind: 'file'; url: string }
  | { kind: 'none' };

/** A source of an answer, as stored and shown. */
export interface Evidence extends ShownEvidence {
  pathOrUrl: string;
}

const maxAddressLength = 8_000;
const bundledAddress = /^([\w-]+(?:\.[\w-]+)*\.md)(?:#([^\s#]{1,500}))?$/i;

/** Parses `FILE.md#anchor` of the bundled docs. Returns undefined for everything else, including paths with folders. */
export function parseBundledAddress(address: string): { file: string; anchor: string } | undefined {
  const match = bundledAddress.exec(address);
  return match?.[1] ? { file: match[1], anchor: match[2] ?? '' } : undefined;
}

/** Returns what an address from a server opens. Only http and https are allowed, and `file:` from the embedded service. */
export function evidenceTarget(address: string, embedded: boolean, names: ReadonlySet<string>): EvidenceTarget {
  if (address.length > maxAddressLength) return { kind: 'none' };
  const bundled = parseBundledAddress(address);
  if (bundled) return names.has(bundled.file) ? { kind: 'bundled', ...bundled } : { kind: 'none' };
  const site = siteAddress(address);
  if (site) return { kind: 'web', url: site.href };
  if (embedded && /^file:\/\/\//i.test(address) && URL.canParse(address)) return { kind: 'file', url: address };
  return { kind: 'none' };
}

/** Describes a piece of evidence by its heading and location. */
export async function describeEvidence(
  { pathOrUrl, reason }: { pathOrUrl: string; reason?: string | undefined },
  embedded: boolean,
  docs: BundledDocs,
): Promise<Evidence> {
  const target = evidenceTarget(pathOrUrl, embedded, await docs.names());
  const known = { pathOrUrl, opens: target.kind !== 'none', reason: reason ? label(reason, 300) : undefined };
  if (target.kind === 'bundled') {
    const headings = await docs.headings(target.file);
    const heading = headings.find(({ anchor }) => anchor === target.anchor) ?? headings[0];
    const name = heading ? label(heading.text, 120) : target.file;
    // The reason would repeat the heading.
    return { ...known, name, place: target.file, reason: known.reason?.replace(` under "${heading?.text}"`, '') };
  }
  if (target.kind === 'file') {
    const { pathname, hash } = new URL(target.url);
    const file = decoded(pathname.split('/').at(-1) ?? '');
    return { ...known, name: label(`${file}${decoded(hash)}`, 120), place: l10n.t('folder source') };
  }
  return { ...known, name: shortAddress(pathOrUrl, 120) || l10n.t('untitled source') };
}
