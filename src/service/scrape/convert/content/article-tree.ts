import { Parser } from 'htmlparser2';
import { createPageUrls } from './urls.ts';

/** Elements that no article needs, including what they contain. */
const leftOut = new Set(
  'head title meta link base param script style template noembed noframes iframe frame object embed applet canvas svg audio'.split(
    ' ',
  ),
);
const voids = new Set('area br col hr img input source track wbr'.split(' '));
const urlAttributes = new Set(['href', 'src', 'poster', 'cite']);
/** Others can't be written. */
const attributeName = /^[a-z_:][\w:.-]*$/;

/**
 * Writes a page as the strict HTML that Readability's own tree is read from: every element is closed, attributes are
 * quoted, and URLs are absolute.
 */
export function strictHtml(source: string, pageUrl: string): string {
  const urls = createPageUrls(pageUrl);
  let out = '<html><head></head><body>';
  let depth = 0;
  /** Depth of the element being left out; 0: none. */
  let leftOutAt = 0;
  const isFrame = (name: string) => name === 'html' || name === 'body';
  const parser = new Parser(
    {
      onopentag(name, attributes) {
        depth++;
        if (name === 'base' && attributes.href !== undefined) urls.setBase(attributes.href);
        if (leftOutAt > 0 || isFrame(name)) return;
        if (leftOut.has(name)) {
          leftOutAt = depth;
          return;
        }
        out += `<${name}`;
        for (const attribute in attributes) {
          if (!attributeName.test(attribute)) continue;
          const written = attributes[attribute] ?? '';
          const value = urlAttributes.has(attribute) ? urls.shown(written)?.replaceAll('&', '&amp;') : written;
          if (value !== undefined)
            out += ` ${attribute}="${value.includes('"') ? value.replaceAll('"', '&quot;') : value}"`;
        }
        out += voids.has(name) ? '/>' : '>';
      },
      onclosetag(name) {
        if (leftOutAt === depth) leftOutAt = 0;
        else if (leftOutAt === 0 && !isFrame(name) && !voids.has(name)) out += `</${name}>`;
        depth--;
      },
      ontext(text) {
        if (leftOutAt === 0) out += text.includes('<') ? text.replaceAll('<', '&lt;') : text;
      },
    },
    { decodeEntities: false },
  );
  parser.end(source);
  return `${out}</body></html>`;
}
