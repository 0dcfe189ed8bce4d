import { type ChildNode, type Element, isTag, isText } from 'domhandler';
import { parseDocument } from 'htmlparser2';
import MarkdownIt from 'markdown-it';

const blocks = new Set('p div h1 h2 h3 h4 h5 h6 ul ol li table thead tbody tr blockquote pre hr section'.split(' '));
/** What converters add of their own, and what some leave out: the title of a book, and the name of an only sheet. */
const added = /^# (Slide \d+|Attachments|Email Message|Content|The title|S)$|^(From|To|Cc|Date|Subject|Title):|^-{3,}$/;

/**
 * Returns what a reader of Markdown sees: headings, paragraphs, items with their numbers and depth, and rows of tables, in their order, with the
 * links in them. How text looks, which level a heading has, what encloses a number and how notes are referred to isn't told apart.
 */
export function seen(markdown: string): string[] {
  const reader = new MarkdownIt({ html: true });
  reader.validateLink = () => true;
  const notes = markdown.replaceAll(/<!--.*?-->/gs, '').replaceAll(/^\[\^[^\]]+\]:/gm, '1. ');
  const lines: string[] = [];
  let text = '';
  let start = '';
  const end = () => {
    const shown = withoutNoise(text);
    if (shown !== '') {
      lines.push(start + shown);
      start = '';
    }
    text = '';
  };
  const walk = (nodes: readonly ChildNode[], depth: number) => {
    for (const node of nodes) {
      if (isText(node)) text += node.data;
      else if (isTag(node)) element(node, depth);
    }
  };
  const element = (node: Element, depth: number) => {
    const { name, attribs, children } = node;
    if (blocks.has(name)) end();
    if (name === 'br') text += ' ';
    else if (name === 'img') text += attribs.alt ?? '';
    else if (name === 'a' && /^(https?|mailto):/.test(attribs.href ?? '')) {
      text += '⟨';
      walk(children, depth);
      text += `⟩(${decoded(attribs.href ?? '').replace(/\/$/, '')})`;
    } else if (name === 'pre') {
      for (const line of textIn(children).split('\n')) if (line.trim() !== '') lines.push(`\` ${line.trimEnd()}`);
    } else if (name === 'tr') {
      const cells = children.filter(isTag).map((cell) => withoutNoise(textIn(cell.children)));
      while (cells.at(-1) === '') cells.pop();
      if (cells.length > 0) lines.push(`| ${cells.join(' | ')}`);
    } else if (name === 'ol' || name === 'ul') {
      let number = Number(attribs.start ?? 1);
      for (const item of children.filter(isTag)) {
        end();
        start = `${' '.repeat(depth)}${name === 'ul' ? '-' : `${item.attribs.value ?? number}.`} `;
        walk(item.children, depth + 1);
        end();
        start = '';
        number++;
      }
    } else {
      if (/^h\d$/.test(name)) start = '# ';
      walk(children, depth);
      if (/^h\d$/.test(name)) end();
    }
    if (blocks.has(name)) end();
  };
  walk(parseDocument(reader.render(notes)).children, 0);
  end();
  return lines.filter((line) => !added.test(line));
}

/** The text of a cell: its lists and breaks are lines, which a reader sees as white space. */
function textIn(nodes: readonly ChildNode[]): string {
  return nodes
    .map((node) => {
      if (isText(node)) return node.data;
      if (!isTag(node)) return '';
      if (node.name === 'img') return node.attribs.alt ?? '';
      const inner = textIn(node.children);
      const url = node.name === 'a' ? (node.attribs.href ?? '') : '';
      if (/^(https?|mailto):/.test(url)) return `⟨${inner}⟩(${decoded(url).replace(/\/$/, '')})`;
      return node.name === 'br' || blocks.has(node.name) ? ` ${inner} ` : inner;
    })
    .join('');
}

/** Without references to notes, and with one blank between words. */
function withoutNoise(text: string): string {
  return text
    .replaceAll(/\[\^?[\divx]+\]/g, '')
    .replaceAll(/[\s\u00a0]+/g, ' ')
    .replaceAll(/ (?=[.,;:!?])/g, '')
    .trim();
}

function decoded(url: string): string {
  try {
    return decodeURI(url);
  } catch {
    return url;
  }
}
