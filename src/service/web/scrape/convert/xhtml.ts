import { Parser } from 'htmlparser2';

/** Elements that HTML writes without an end tag. */
const voids = new Set('area base br col embed hr img input link meta source track wbr'.split(' '));
const namespace = 'http://www.w3.org/1999/xhtml';

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
  let prefix: string | undefined;
  let inCdata = false;
  let depth = 0;
  const named = (name: string) => (prefix !== undefined && name.startsWith(prefix) ? name.slice(prefix.length) : name);
  const parser = new Parser(
    {
      onopentag(name, attributes) {
        depth++;
        if (prefix === undefined) {
          const declared = Object.keys(attributes).find(
            (each) => each.startsWith('xmlns:') && attributes[each] === namespace,
          );
          prefix = declared === undefined ? '' : `${declared.slice('xmlns:'.length)}:`;
        }
        const pairs = Object.entries(attributes).map(
          ([each, value]) => ` ${each}="${value.replaceAll('"', '&quot;')}"`,
        );
        html += `<${named(name)}${pairs.join('')}>`;
      },
      onclosetag(name) {
        depth--;
        if (!voids.has(named(name))) html += `</${named(name)}>`;
      },
      ontext(text) {
        // What is outside the root belongs to the document type.
        if (depth === 0) return;
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
