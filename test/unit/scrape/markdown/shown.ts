import { Parser } from 'htmlparser2';

const base = 'https://site.test/';
const alike: Readonly<Record<string, string>> = { b: 'strong', i: 'em' };
const blocks = new Set('p h1 h2 h3 h4 h5 h6 ul ol li blockquote pre hr'.split(' '));

/** HTML as a browser would show it: without white space between blocks, with absolute URLs, and without attributes that show nothing. */
export function shown(html: string): string {
  let out = '';
  let preformatted = 0;
  const parser = new Parser({
    onopentag(written, { href, src, alt, title, start, class: classes }) {
      const name = alike[written] ?? written;
      if (name === 'pre') preformatted++;
      const url = href ?? src;
      const attributes = [
        url === undefined ? undefined : absolute(url),
        alt,
        title,
        start,
        name === 'code' ? classes : '',
      ];
      if (blocks.has(name)) out = `${out.trimEnd()}\n`;
      out += `<${[name, ...attributes.filter((each) => each)].join(' ')}>`;
    },
    onclosetag(written) {
      const name = alike[written] ?? written;
      if (name === 'pre') preformatted--;
      out = blocks.has(name) ? `${out.trimEnd()}</${name}>\n` : `${out}</${name}>`;
    },
    ontext(text) {
      const collapsed = preformatted > 0 ? text.replaceAll('\n', '⏎').replaceAll(' ', '·') : text.replace(/\s+/g, ' ');
      out += out.endsWith('\n') ? collapsed.replace(/^ /, '') : collapsed;
    },
  });
  parser.end(html);
  return out.trim();
}

function absolute(url: string): string {
  return URL.canParse(url, base) ? new URL(url, base).href : url;
}
