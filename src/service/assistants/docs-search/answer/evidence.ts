import type { Hit } from './ranking.ts';

/** A text that supports an answer (specification, "Documentation answer"). */
export interface Evidence {
  pathOrUrl: string;
  reason: string;
}

/** Returns the locations and kinds of passages, one entry per heading. */
export function evidenceOf(hits: readonly Hit[]): Evidence[] {
  const reasons = new Map<string, string[]>();
  for (const hit of hits) {
    const address = addressOf(hit);
    reasons.set(address, [...(reasons.get(address) ?? []), reasonOf(hit)]);
  }
  return [...reasons].map(([pathOrUrl, all]) => ({ pathOrUrl, reason: all.join('; ') }));
}

/** Returns `FILE.md#anchor`, or the URL of a page whose anchors are unknown. */
export function addressOf({ source, section }: Hit): string {
  const page = source.corpus.pages[section.page];
  if (!page) return '';
  return page.anchors && section.anchor ? `${page.address}#${section.anchor}` : page.address;
}

function reasonOf({ passage, section }: Hit): string {
  const [first, last] = passage.lines;
  const subject = passage.cells?.[0];
  const what = {
    row: `Table row ${subject ?? ''}`.trim(),
    item: 'List item',
    paragraph: 'Paragraph',
    code: 'Code',
  }[passage.kind];
  const place = section.headings.at(-1);
  return `${what}${place ? ` under "${place}"` : ''}, ${first === last ? `line ${first}` : `lines ${first}-${last}`}`;
}
