import type { ParentNode } from 'domhandler';
import { ownNames } from '../../../../../platform/own-names.ts';
import type { Archive } from '../archive.ts';
import { propertyText } from '../html.ts';
import { descendants, nameOf, textOf } from '../xml.ts';

const fields: Record<string, string> = ownNames({
  title: 'title',
  creator: 'author',
  description: 'description',
  language: 'language',
  keywords: 'keywords',
});

/** Returns the title, author and so on of an Office document. */
export function coreProperties(archive: Archive): Record<string, string> {
  return propertiesOf(archive.xml('docProps/core.xml'));
}

/** Returns the Dublin Core properties below an element, by the names of a document's metadata. */
export function propertiesOf(parent: ParentNode | undefined): Record<string, string> {
  const metadata: Record<string, string> = {};
  for (const element of descendants(parent)) {
    const field = fields[nameOf(element)];
    const text = field === undefined || field in metadata ? '' : propertyText(textOf(element));
    if (field !== undefined && text !== '') metadata[field] = text;
  }
  return metadata;
}

/** Parts of Office documents that aren't read. Charts keep their data in an embedded workbook. */
const unread: [what: string, name: RegExp][] = [
  ['charts', /\/charts\/chart[^/]*\.xml$/],
  ['diagrams', /\/diagrams\/data[^/]*\.xml$/],
  ['comments', /\/(comments|threadedComments)[^/]*\.xml$|\/comments\/[^/]+\.xml$/],
  ['embedded files', /\/embeddings\/[^/]+$/],
];

/**
 * Returns warnings for what an Office document has besides its text: macros, which are never run, charts and so on.
 * @param hasInserted whether it has other files in the place of some of its text
 */
export function unreadWarnings(archive: Archive, hasInserted = false): string[] {
  const names = [...archive.names];
  const found = unread.filter(([, pattern]) => names.some((name) => pattern.test(name))).map(([what]) => what);
  if (hasInserted) found.push('inserted documents');
  const hasText = (name: string) => /:t[\s>]/.test(archive.text(name) ?? '');
  if (names.some((name) => /^xl\/drawings\/drawing[^/]*\.xml$/.test(name) && hasText(name))) found.push('text boxes');
  const shown = found.filter((what) => what !== 'embedded files' || !found.includes('charts'));
  return [
    ...(names.some((name) => name.endsWith('/vbaProject.bin'))
      ? ['The file contains macros, which were ignored.']
      : []),
    ...notRead(shown),
  ];
}

/** Returns the warning that names what of a file isn't read; none without anything. */
export function notRead(what: readonly string[]): string[] {
  if (what.length === 0) return [];
  const list = what.length === 1 ? what[0] : `${what.slice(0, -1).join(', ')} and ${what.at(-1)}`;
  return [`The file has ${list}, which aren't read.`];
}

/** Returns the name of the part of an Office document that has its content; empty without one. */
export function mainPart(archive: Archive): string {
  const usual = ['word/document.xml', 'xl/workbook.xml', 'ppt/presentation.xml'].find((name) =>
    archive.names.has(name),
  );
  if (usual !== undefined) return usual;
  const main = [...relationshipsOf(archive, '').values()].find(({ type }) => type === 'officeDocument')?.target ?? '';
  return archive.names.has(main) ? main : '';
}

/** Returns the name of the part of a kind that another one relates to, by default one beside it. */
export function partOf(relations: Relations, main: string, kind: string): string {
  const found = [...relations.values()].find(({ type }) => type === kind);
  return found?.target ?? `${main.slice(0, main.lastIndexOf('/') + 1)}${kind}.xml`;
}

export type Relations = ReturnType<typeof relationshipsOf>;

/** Returns the targets of a part's relationships by their ids, as names in the archive or as URLs. */
export function relationshipsOf(archive: Archive, part: string): Map<string, { type: string; target: string }> {
  const slash = part.lastIndexOf('/') + 1;
  const root = archive.xml(`${part.slice(0, slash)}_rels/${part.slice(slash)}.rels`);
  const found = new Map<string, { type: string; target: string }>();
  for (const { attribs } of descendants(root, 'Relationship')) {
    const { Id = '', Type = '', Target = '', TargetMode } = attribs;
    const target =
      TargetMode === 'External' ? Target : (URL.parse(Target, `part://file/${part}`)?.pathname.slice(1) ?? '');
    found.set(Id, { type: Type.slice(Type.lastIndexOf('/') + 1), target });
  }
  return found;
}
