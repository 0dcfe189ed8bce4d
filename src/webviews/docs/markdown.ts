import MarkdownIt, { type Token } from 'markdown-it';
import { element } from '../common/dom.ts';

/** What the renderer asks of its surroundings. */
export interface MarkdownLook {
  /** How many pieces of evidence there are: `[1]` to `[n]` in the text lead to them. */
  evidence: number;
  /** True for a file of our own texts, as `limits.md`. */
  isText(file: string): boolean;
  openEvidence(index: number): void;
  openLink(href: string): void;
  /** The buttons below a block of code. */
  codeActions(code: string, language: string): HTMLElement;
}

/** Characters that are rendered; beyond that an answer is shown as the text that it is. */
export const longestRendered = 20_000;

const parser = new MarkdownIt({ html: false, linkify: false, typographer: false });
// Links come through as what they are; which of them may be opened is decided below.
parser.validateLink = () => true;

/** Elements that markdown may become, without any attribute of its own; whatever else it asks for is a plain one. */
const allowed = new Set([
  'p',
  'ul',
  'ol',
  'li',
  'blockquote',
  'table',
  'thead',
  'tbody',
  'tr',
  'th',
  'td',
  'strong',
  'em',
  's',
]);
type Allowed = 'p';

/**
 * Markdown of a server as elements: made one by one from a closed set, never from markup. No element has an address or
 * loads anything; pictures become words, links become buttons that ask the extension.
 */
export function renderMarkdown(text: string, look: MarkdownLook): HTMLElement {
  const root = element('div', { class: 'markdown' });
  const numbered = new Set<number>();
  append(parser.parse(text, {}), root, { ...look, numbered });
  // An answer that names its evidence nowhere rests on all of it.
  if (numbered.size === 0 && look.evidence > 0) numberAtEnd(root, look);
  return root;
}

type Look = MarkdownLook & { numbered: Set<number> };

function append(tokens: readonly Token[], root: HTMLElement, look: Look): void {
  const open: HTMLElement[] = [root];
  for (const token of tokens) {
    const parent = open.at(-1) ?? root;
    if (token.type === 'inline') append(token.children ?? [], parent, look);
    else if (token.nesting === 1) {
      // The paragraphs of a tight list are not shown as such.
      const made = token.hidden ? parent : elementOf(token, look);
      if (made !== parent) parent.append(made);
      open.push(made);
    } else if (token.nesting === -1) {
      if (open.length > 1) open.pop();
      if (token.type === 'link_close') showTarget(parent);
    } else parent.append(...leaf(token, look));
  }
}

function elementOf(token: Token, look: Look): HTMLElement {
  if (token.type === 'link_open') return link(String(token.attrGet('href') ?? ''), look);
  // The question above is a heading of the third level.
  if (token.type === 'heading_open') return element(token.tag === 'h1' ? 'h4' : token.tag === 'h2' ? 'h5' : 'h6');
  if (!allowed.has(token.tag)) return element('span');
  const made = element(token.tag as Allowed);
  const start = Number(token.attrGet('start') ?? 1);
  if (token.type === 'ordered_list_open' && start !== 1 && Number.isSafeInteger(start))
    made.setAttribute('start', String(start));
  return made;
}

function leaf(token: Token, look: Look): (Node | string)[] {
  switch (token.type) {
    case 'softbreak':
      return ['\n'];
    case 'hardbreak':
      return [element('br')];
    case 'hr':
      return [element('hr')];
    case 'code_inline':
      return [element('code', {}, token.content)];
    case 'fence':
    case 'code_block':
      return [codeBlock(token.content.replace(/\n$/, ''), token.info.trim().split(/\s+/)[0] ?? '', look)];
    case 'image':
      return [element('span', { class: 'left-out' }, `[picture: ${token.content || 'without words'}]`)];
    default:
      return withNumbers(token.content, look);
  }
}

/** A link is a button: the extension judges the address again and opens it outside. */
function link(href: string, look: Look): HTMLElement {
  const web = webAddress(href);
  const file = /^([\w.-]+\.md)(?:#[\w-]*)?$/.exec(href)?.[1];
  if (!web && !(file && look.isText(file))) {
    return element('span', { class: 'left-out', title: `This link is not opened: ${href.slice(0, 300)}` });
  }
  const made = element('button', { class: 'link', type: 'button', role: 'link', title: web?.href ?? href });
  if (web) made.dataset.host = web.host;
  made.addEventListener('click', () => look.openLink(web?.href ?? href));
  return made;
}

/** Where a link leads stands beside it, unless its words say so. */
function showTarget(made: HTMLElement): void {
  const { host } = made.dataset;
  if (host && !made.textContent?.toLowerCase().includes(host))
    made.append(element('span', { class: 'host' }, ` (${host})`));
}

function webAddress(href: string): URL | undefined {
  if (!/^https?:/i.test(href) || href.length > 8_000 || !URL.canParse(href)) return undefined;
  const url = new URL(href);
  return url.username || url.password ? undefined : url;
}

function withNumbers(text: string, look: Look): (Node | string)[] {
  return text.split(/(\[\d{1,2}\])/).map((part) => {
    const number = Number(/^\[(\d{1,2})\]$/.exec(part)?.[1] ?? 0);
    if (number < 1 || number > look.evidence) return part;
    look.numbered.add(number);
    return evidenceNumber(number, look);
  });
}

function evidenceNumber(number: number, look: MarkdownLook): HTMLElement {
  const name = `Evidence ${number}`;
  const made = element(
    'button',
    { class: 'number', type: 'button', role: 'link', 'aria-label': name, title: name },
    String(number),
  );
  made.addEventListener('click', () => look.openEvidence(number - 1));
  return made;
}

/** Behind the last paragraph; code alone has the list of its evidence right below. */
function numberAtEnd(root: HTMLElement, look: MarkdownLook): void {
  const last = [...root.children].findLast((child) => child.tagName === 'P');
  for (let number = 1; number <= look.evidence; number++) last?.append(' ', evidenceNumber(number, look));
}

function codeBlock(code: string, language: string, look: MarkdownLook): HTMLElement {
  const name = /^[\w+#-]{1,20}$/.test(language) ? language : '';
  return element(
    'div',
    { class: 'code', role: 'group', 'aria-label': name ? `Code, ${name}` : 'Code' },
    element('pre', { tabindex: '0' }, element('code', {}, code)),
    look.codeActions(code, name),
  );
}
