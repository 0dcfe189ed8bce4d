import { Parser } from 'htmlparser2';
import { createNamespaces } from './files/xml.ts';

/** Elements that HTML writes without an end tag. */
const voids = new Set('area base br col embed hr img input link meta source track wbr'.split(' '));
/** Elements that show nothing without a content, which Markdown would. */
const unseen = /^(h[1-6]|blockquote|pre)$/;

/** Returns whether a file is a page in XML's syntax, by its content type. */
export function isXhtml(contentType: string | undefined): boolean {
  return /^\s*application\/xhtml\+xml\b/i.test(contentType ?? '');
}

/**
 * Writes a page in XML's syntax in HTML's, where only few elements can be empty: `<title/>` would go on to the end of the page. Character
 * references stay as they are.
 */
export function htmlOf(xhtml: string): string {
  const html: string[] = [];
  let inCdata = false;
  /** The elements that are open, and where each begins. */
  const open: { name: string; from: number; isEmpty: boolean }[] = [];
  const namespaces = createNamespaces();
  const fill = (): void => {
    const outer = open.at(-1);
    if (outer) outer.isEmpty = false;
  };
  const parser = new Parser(
    {
      onopentag(written, attributes) {
        namespaces.open(attributes);
        const name = namespaces.resolved(written);
        let tag = `<${name}`;
        for (const each in attributes) tag += ` ${each}="${attributes[each]?.replaceAll('"', '&quot;')}"`;
        fill();
        open.push({ name, from: html.length, isEmpty: true });
        html.push(`${tag}>`);
      },
      onclosetag() {
        namespaces.close();
        const { name, from, isEmpty } = open.pop() ?? { name: '', from: 0, isEmpty: false };
        if (isEmpty && unseen.test(name)) html.length = from;
        else if (!voids.has(name)) html.push(`</${name}>`);
      },
      ontext(text) {
        // What is outside the root belongs to the document type.
        if (open.length === 0) return;
        if (text.trim() !== '') fill();
        html.push(inCdata ? text.replaceAll('&', '&amp;').replaceAll('<', '&lt;') : text);
      },
      oncdatastart() {
        inCdata = true;
      },
      oncdataend() {
        inCdata = false;
      },
    },
    { xmlMode: true, decodeEntities: false },
  );
  parser.end(xhtml);
  return html.join('');
}
