import * as l10n from '@vscode/l10n';
import MarkdownIt, { type Token } from 'markdown-it';
import { siteAddress } from '../../contract/addresses.ts';
import { shorten } from '../../contract/shorten.ts';
import { element, pressable } from '../common/dom.ts';

/** What the renderer needs from the view. */
export interface MarkdownContext {
  /** The number of sources: `[1]` to `[n]` in the text link to them. */
  evidence: number;
  /** Returns true for a bundled doc, such as `limits.md`. */
  isBundledDoc(file: string): boolean;
  openEvidence(index: number): void;
  openLink(href: string): void;
  /** Returns the buttons below a code block. */
  codeActions(code: string, language: string): HTMLElement;
}

/** Longer answers, in characters, are shown as plain text. */
export const maxRenderedLength = 20_000;

const parser = new MarkdownIt({ html: false, linkify: false, typographer: false });
// All links are parsed; which of them can be opened is decided below.
parser.validateLink = () => true;

/** Elements that markdown can create, without attributes; any other becomes a plain span. */
const allowedTags = new Set('p ul ol li blockquote table thead tbody tr th td strong em s'.split(' '));
type Allowed = 'p';

/**
 * Renders untrusted markdown as elements, created one by one from a fixed set and never from HTML. No element has a URL or
 * loads anything: images become text, and links become buttons that ask the extension.
 */
export function renderMarkdown(text: string, context: MarkdownContext): HTMLElement {
  const root = element('div', { class: 'markdown' });
  const numbered = new Set<number>();
  append(parser.parse(text, {}), root, { ...context, numbered });
  // An answer without references is based on all of its sources.
  if (numbered.size === 0 && context.evidence > 0) numberAtEnd(root, context);
  return root;
}

type Context = MarkdownContext & { numbered: Set<number> };

function append(tokens: readonly Token[], root: HTMLElement, context: Context): void {
  const open: HTMLElement[] = [root];
  for (const token of tokens) {
    const parent = open.at(-1) ?? root;
    if (token.type === 'inline') append(token.children ?? [], parent, context);
    else if (token.nesting === 1) {
      // Paragraphs of a tight list have no element.
      const node = token.hidden ? parent : elementOf(token, context);
      if (node !== parent) parent.append(node);
      open.push(node);
    } else if (token.nesting === -1) {
      if (open.length > 1) open.pop();
      if (token.type === 'link_close') showHost(parent);
    } else parent.append(...leaf(token, context));
  }
}

function elementOf(token: Token, context: Context): HTMLElement {
  if (token.type === 'link_open') return link(String(token.attrGet('href') ?? ''), context);
  // The question above is an h2.
  if (token.type === 'heading_open') return element(token.tag === 'h1' ? 'h3' : token.tag === 'h2' ? 'h4' : 'h5');
  if (!allowedTags.has(token.tag)) return element('span');
  const node = element(token.tag as Allowed);
  const start = Number(token.attrGet('start') ?? 1);
  if (token.type === 'ordered_list_open' && start !== 1 && Number.isSafeInteger(start))
    node.setAttribute('start', String(start));
  return node;
}

function leaf(token: Token, context: Context): (Node | string)[] {
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
      return [codeBlock(token.content.replace(/\n$/, ''), token.info.trim().split(/\s+/)[0] ?? '', context)];
    case 'image':
      return [
        element(
          'span',
          { class: 'left-out quiet' },
          token.content ? l10n.t('[image: {0}]', token.content) : l10n.t('[image without description]'),
        ),
      ];
    default:
      return withNumbers(token.content, context);
  }
}

/** A link is a button: the extension checks the address again and opens it. */
function link(href: string, context: Context): HTMLElement {
  const web = siteAddress(href);
  const file = /^([\w.-]+\.md)(?:#[\w-]*)?$/.exec(href)?.[1];
  if (!web && !(file && context.isBundledDoc(file))) {
    return element('span', { class: 'left-out quiet', title: l10n.t("This link can't be opened: {0}", shorten(href)) });
  }
  const address = web?.href ?? href;
  const attributes = { class: 'link link-button', role: 'link', title: address, 'data-host': web?.host };
  return pressable(attributes, () => context.openLink(address));
}

/** Shows the host of a link after it, unless the link's text contains it. */
function showHost(link: HTMLElement): void {
  const { host } = link.dataset;
  if (host && !link.textContent?.toLowerCase().includes(host))
    link.append(element('span', { class: 'quiet' }, ` (${host})`));
}

function withNumbers(text: string, context: Context): (Node | string)[] {
  return text.split(/(\[\d{1,2}\])/).map((part) => {
    const number = Number(/^\[(\d{1,2})\]$/.exec(part)?.[1] ?? 0);
    if (number < 1 || number > context.evidence) return part;
    context.numbered.add(number);
    return evidenceNumber(number, context);
  });
}

function evidenceNumber(number: number, context: MarkdownContext): HTMLElement {
  const name = l10n.t('Evidence {0}', number);
  const attributes = { class: 'number', role: 'link', 'aria-label': name, title: name };
  return pressable(attributes, () => context.openEvidence(number - 1), String(number));
}

/** Adds references to the last paragraph. An answer of code only has the list of sources right below. */
function numberAtEnd(root: HTMLElement, context: MarkdownContext): void {
  const last = [...root.children].findLast((child) => child.tagName === 'P');
  for (let number = 1; number <= context.evidence; number++) last?.append(' ', evidenceNumber(number, context));
}

function codeBlock(code: string, language: string, context: MarkdownContext): HTMLElement {
  const name = /^[\w+#-]{1,20}$/.test(language) ? language : '';
  return element(
    'div',
    { class: 'code', role: 'group', 'aria-label': name ? l10n.t('Code, {0}', name) : l10n.t('Code') },
    element('pre', { tabindex: '0' }, element('code', {}, code)),
    context.codeActions(code, name),
  );
}
