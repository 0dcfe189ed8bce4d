import type { Attributes } from '../page-tree/page-tree.ts';

/** What is a control, or beside the content: a drawing in it is a logo or an icon. */
const beside = new Set(['nav', 'header', 'footer', 'aside', 'button', 'a', 'label', 'dialog', 'form']);
/** Elements of SVG that show text. */
const shows = /^(text|foreignobject)$/i;
/** Different words from which a drawing says something, as a chart or a diagram does. */
const least = 3;

/** Tells whether a page has drawings (SVG) that say something in words: these aren't part of its text. */
export function watchDrawings() {
  let besideAt = 0;
  let drawingAt = 0;
  let textAt = 0;
  let words = new Set<string>();
  let saySomething = false;
  return {
    get saySomething(): boolean {
      return saySomething;
    },
    open(name: string, { 'aria-hidden': hidden }: Attributes, depth: number): void {
      if (drawingAt > 0) {
        if (shows.test(name)) textAt ||= depth;
      } else if (beside.has(name) || hidden === 'true') besideAt ||= depth;
      else if (name === 'svg' && besideAt === 0) drawingAt = depth;
    },
    close(depth: number): void {
      if (depth === besideAt) besideAt = 0;
      if (depth === textAt) textAt = 0;
      if (depth !== drawingAt) return;
      drawingAt = 0;
      saySomething ||= words.size >= least;
      words = new Set();
    },
    text(text: string): void {
      if (textAt > 0 && words.size < least && /\p{L}{3}/u.test(text)) words.add(text.trim());
    },
  };
}
