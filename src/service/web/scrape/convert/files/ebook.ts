import render from 'dom-serializer';
import { type ChildNode, type Element, Text } from 'domhandler';
import { parseDocument } from 'htmlparser2';
import { decoded } from '../../../../../contract/lenient-texts.ts';
import { equationText } from '../equations.ts';
import { htmlOf } from '../xhtml.ts';
import type { Archive } from './archive.ts';
import { needsPassword, UnreadableFile } from './file-errors.ts';
import type { FileReading } from './files.ts';
import { isFollowed } from './html.ts';
import { propertiesOf } from './office/properties.ts';
import { attributeOf, descendants, elementAt, elementsOf, nameOf } from './xml.ts';

const packageType = 'application/oebps-package+xml';
const mathMl = 'http://www.w3.org/1998/Math/MathML';

/** Reads the chapters of an EPUB book, in reading order. Throws an UnreadableFile. */
export function readEbook(archive: Archive): FileReading {
  const container = archive.xml('META-INF/container.xml');
  const files = descendants(container, 'rootfile').map(({ attribs }) => attribs);
  const { 'full-path': path } = files.find((each) => each['media-type'] === packageType) ?? files[0] ?? {};
  if (path === undefined || archive.nameOf(path) === undefined)
    throw new UnreadableFile('The EPUB is damaged: it has no package file.');
  const root = elementAt(archive.xml(path), 'package');
  const encrypted = encryptedNames(archive);
  const items = new Map(
    elementsOf(elementAt(root, 'manifest'), 'item').map(({ attribs }) => [
      attribs.id,
      {
        name: entryOf(archive, path, attribs.href ?? ''),
        type: attribs['media-type'] ?? '',
        fallback: attribs.fallback ?? '',
      },
    ]),
  );
  const chapters: string[] = [];
  let missing = 0;
  // What is beside the text, such as its notes, comes after it.
  const { no: aside = [], yes: text = [] } = Object.groupBy(elementsOf(elementAt(root, 'spine'), 'itemref'), (each) =>
    each.attribs.linear === 'no' ? 'no' : 'yes',
  );
  for (const { attribs } of [...text, ...aside]) {
    const item = items.get(attribs.idref ?? '');
    // What isn't text, such as a drawing, may have a text in its place.
    const { name, type } = (item?.type.startsWith('image/') && items.get(item.fallback)) || item || {};
    if (name !== undefined && encrypted.has(name)) throw needsPassword('EPUB');
    const chapter = name === undefined ? undefined : archive.text(name);
    if (chapter === undefined) missing++;
    else chapters.push(contentOf(type === 'text/html' ? chapter : htmlOf(chapter)));
  }
  return {
    html: chapters.join('\n'),
    metadata: propertiesOf(elementAt(root, 'metadata')),
    warnings: [
      ...(missing > 0 ? [`${missing} of the book's chapters are missing from the file.`] : []),
      ...(missing + chapters.length === 0 ? ['The book lists no chapters.'] : []),
    ],
  };
}

/** Names of encrypted entries. Books without copy protection encrypt only their fonts. */
function encryptedNames(archive: Archive): Set<string | undefined> {
  const references = descendants(archive.xml('META-INF/encryption.xml'), 'CipherReference');
  return new Set(references.map(({ attribs }) => archive.nameOf(decoded(attribs.URI ?? ''))));
}

/** Returns a chapter's body without what points into the archive: its images and the links between chapters. */
function contentOf(chapter: string): string {
  const document = parseDocument(chapter);
  const body = descendants(document, 'body')[0] ?? document;
  const texts = new Map<ChildNode, Text>();
  for (const node of descendants(body)) {
    // What only some programs show stands beside what all do; equations are read.
    if (nameOf(node) === 'switch') for (const unread of unreadOf(node)) texts.set(unread, new Text(''));
    // Programs offer them as menus.
    if (node.name === 'nav' && /\b(page-list|landmarks)\b/.test(attributeOf(node, 'type') ?? ''))
      texts.set(node, new Text(''));
    else if (node.name === 'img' || node.name === 'image') texts.set(node, new Text(node.attribs.alt ?? ''));
    else if (node.name === 'math' && !node.attribs.alttext) texts.set(node, new Text(equationText(node)));
    else if (node.name === 'a' && !isFollowed(attributeOf(node, 'href') ?? '')) node.name = 'span';
  }
  // One pass for each parent, which may have thousands of them.
  for (const parent of new Set([...texts.keys()].map((node) => node.parent)))
    if (parent) parent.children = parent.children.map((node) => texts.get(node) ?? node);
  return render(body.children, { encodeEntities: 'utf8' });
}

/** Returns the cases of a switch that aren't read, or its default if one of them is. */
function unreadOf(choice: Element): Element[] {
  const cases = elementsOf(choice, 'case');
  const others = elementsOf(choice, 'default');
  const isRead = (each: Element) => attributeOf(each, 'required-namespace') === mathMl;
  if (cases.some(isRead)) return [...cases.filter((each) => !isRead(each)), ...others];
  return others.length > 0 ? cases : [];
}

/** Returns the archive's name of a link in the package file, which may also be a name as it is, with signs of URLs in it. */
function entryOf(archive: Archive, base: string, href: string): string | undefined {
  const asName = encodeURI(href).replaceAll(/[?#]/g, encodeURIComponent);
  return archive.nameOf(resolved(base, href)) ?? archive.nameOf(resolved(base, asName));
}

function resolved(base: string, href: string): string {
  const url = URL.parse(href, `epub://book/${base.split('/').map(encodeURIComponent).join('/')}`);
  return decoded(url?.pathname.slice(1) ?? '');
}
