import * as l10n from '@vscode/l10n';
import { element, pressable } from '../common/dom.ts';
import { type AnsiPiece, type AnsiStyle, styledPieces } from './ansi.ts';
import type { SourceLocation } from './messages.ts';
import { createLinkFinder, type LinkedPiece } from './source-links.ts';

/** Lines of a block. Blocks outside the visible area aren't laid out, so that long output is drawn fast. */
const blockLines = 200;
/** Characters of a block without a line break. */
const blockLength = 256 * 1024;

/** Shows output with ANSI colors and links to source positions. Appended text doesn't redraw what is shown. */
export type OutputView = ReturnType<typeof createOutputView>;

export function createOutputView(options: {
  part: string;
  /** The accessible name. */
  name: string;
  file: string | undefined;
  onReveal(location: SourceLocation): void;
}) {
  const { part, name, onReveal } = options;
  const created = element('pre', { class: 'content', 'data-part': part, tabindex: '0', 'aria-label': name });
  const links = createLinkFinder(options.file);
  let texts: string[] = [];
  let block: HTMLElement | undefined;
  let linesInBlock = 0;
  /** The last line, which may still grow or be overwritten. */
  let unfinished = '';
  const tail = element('span');
  let style: AnsiStyle = {};

  function show(text: string, into: HTMLElement, start: AnsiStyle): AnsiStyle {
    const { pieces, style: end } = styledPieces(text, start);
    into.append(...pieces.map((piece) => pieceNode(piece, links, onReveal)));
    return end;
  }

  function finish(text: string): void {
    if (!block || linesInBlock >= blockLines) {
      tail.remove();
      block = element('div', { class: 'block' });
      created.append(block);
      linesInBlock = 0;
    }
    style = show(text, block, style);
  }

  /** Adds whole lines, block by block. */
  function addLines(text: string): void {
    for (let from = 0; from < text.length; ) {
      let to = from;
      let lines = block && linesInBlock < blockLines ? linesInBlock : 0;
      while (lines < blockLines && to < text.length) {
        to = text.indexOf('\n', to) + 1;
        lines++;
      }
      finish(text.slice(from, to));
      linesInBlock = lines;
      from = to;
    }
  }

  return {
    element: created,
    get text(): string {
      if (texts.length > 1) texts = [texts.join('')];
      return texts[0] ?? '';
    },
    append(text: string): void {
      texts.push(text);
      const pending = unfinished + text;
      tail.remove();
      const end = pending.lastIndexOf('\n') + 1;
      addLines(pending.slice(0, end));
      unfinished = pending.slice(end);
      if (unfinished.length > blockLength) {
        finish(unfinished);
        linesInBlock = blockLines;
        unfinished = '';
      }
      if (unfinished === '') return;
      tail.replaceChildren();
      show(unfinished, tail, style);
      (linesInBlock < blockLines && block ? block : created).append(tail);
    },
  };
}

type FindLinks = (text: string) => LinkedPiece[];

function pieceNode(piece: AnsiPiece, links: FindLinks, onReveal: (location: SourceLocation) => void): Node {
  const { text, ...style } = piece;
  const nodes = linkedNodes(links(text), onReveal);
  const [only] = nodes;
  if (Object.keys(style).length === 0) {
    if (nodes.length === 1 && only) return only;
    const fragment = document.createDocumentFragment();
    fragment.append(...nodes);
    return fragment;
  }
  const created = element('span', {}, ...nodes);
  const { color, background, bold, dim, italic, underline, strikethrough } = style;
  Object.assign(created.style, {
    ...(color && { color }),
    ...(background && { background }),
    ...(bold && { fontWeight: 'bold' }),
    ...(dim && { opacity: '0.7' }),
    ...(italic && { fontStyle: 'italic' }),
    textDecoration: [underline && 'underline', strikethrough && 'line-through'].filter(Boolean).join(' '),
  });
  return created;
}

/** Returns the nodes of a text: links to source positions, and plain text. */
export function linkedNodes(pieces: readonly LinkedPiece[], onReveal: (location: SourceLocation) => void): Node[] {
  return pieces.map(({ text, location }) => {
    if (!location) return document.createTextNode(text);
    const attributes = { class: 'link-button source-link', title: l10n.t('Go to code') };
    return pressable(attributes, () => onReveal(location), text);
  });
}
