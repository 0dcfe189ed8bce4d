import { Parser } from 'htmlparser2';
import { createNamespaces } from './files/xml.ts';

/** Elements that HTML writes without an end tag. */
const voids = new Set('area base br col embed hr img input link meta source track wbr'.split(' '));

/** Returns whether a file is a page in XML's syntax, by its content type. */
export function isXhtml(contentType: string | undefined): boolean {
  return /^\s*application\/xhtml\+xml\b/i.test(contentType ?? '');
}

/**
 * Writes a page in XML's syntax in HTML's, where only few elements can be empty: `<title/>` would go on to the end of the page. Character
 * references stay as they are.
 */
export function htmlOf(xhtml: string): string {
  let html = '';
  let inCdata = false;
  const open: string[] = [];
  const namespaces = createNamespaces();
  const parser = new Parser(
    {
      onopentag(written, attributes) {
        namespaces.open(attributes);
        const name = namespaces.resolved(written);
        open.push(name);
        html += `<${name}`;
        for (const each in attributes) html += ` ${each}="${attributes[each]?.replaceAll('"', '&quot;')}"`;
        html += '>';
      },
      onclosetag() {
        namespaces.close();
        const name = open.pop() ?? '';
        if (!voids.has(name)) html += `</${name}>`;
      },
      ontext(text) {
        // What is outside the root belongs to the document type.
        if (open.length === 0) return;
        html += inCdata ? text.replaceAll('&', '&amp;').replaceAll('<', '&lt;') : text;
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
  return html;
}
