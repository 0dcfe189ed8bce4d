import { Parser } from 'htmlparser2';
import { maxDepth } from './page-tree.ts';

/** How a script of React ends that puts a part where a fallback, or a template, is: `$RC("B:0","S:0")`, `$RS("S:1","P:1")`. */
const call = /^\$R([CRS])\("([^"]+)","([^"]+)"(?:,\[.*\])?\)$/s;

/**
 * Puts the parts that React sent at the end of a page where its scripts put them: each once, and towards the start, so it is in
 * one place and not in itself. A page in which a part or its place isn't as React writes it stays as it is.
 */
export function placeStreamedParts(page: string): string {
  if (!/\$R[CRS]\("/.test(page)) return page;
  // The content of an element is between `from` and `to`; its `end` is 0 if no tag of its own ends it.
  const root = { name: '', start: 0, from: 0, to: 0, end: 0, isHidden: false, isInert: false, begun: [{ end: 0 }] };
  const [open, byId, fallbacks] = [[root], new Map<string, typeof root>(), new Map<number, { end: number }>()];
  const cuts: { start: number; end: number; part?: typeof root }[] = [];
  let [deepest, isClear] = [0, true];
  const run = (script: string): void => {
    const [, kind, one = '', other = ''] = call.exec(script.slice(script.lastIndexOf(';$R') + 1).trim()) ?? [];
    if (kind === undefined) return;
    const [part, place] = (kind === 'S' ? [one, other] : [other, one]).map((id) => byId.get(id));
    const end = (kind === 'S' ? place : fallbacks.get(place?.start ?? 0))?.end;
    const isPart = part?.isHidden && part.end > 0 && cuts.length < maxDepth;
    if (isPart && place?.name === 'template' && end && end <= part.start)
      cuts.push({ start: place.start, end, part }, { start: part.start, end: part.end });
    else isClear = false;
    for (const id of [one, other]) byId.delete(id);
  };
  const parser = new Parser(
    {
      onopentag(name, { id = '', style = '', hidden }) {
        const [around = root, start, from] = [open.at(-1), parser.startIndex, parser.endIndex + 1];
        const isHidden = around.isHidden || hidden !== undefined || /display:\s*none/.test(style);
        const isInert = around.isInert || name === 'template' || name === 'noscript';
        const element = { name, start, from, to: 0, end: 0, isHidden, isInert, begun: [] };
        if (!around.isInert && !byId.has(id)) byId.set(id, element);
        deepest = Math.max(deepest, open.push(element));
        if (deepest > maxDepth) isClear = false;
        if (!isClear) parser.pause();
      },
      onclosetag(name, isImplied) {
        const element = open.pop();
        if (!element || isImplied) return;
        Object.assign(element, { to: parser.startIndex, end: parser.endIndex + 1 });
        const tag = page.slice(element.start, element.from);
        if (name === 'script' && !element.isInert && !/\s(?:src|type)\b/i.test(tag))
          run(page.slice(element.from, element.to));
      },
      oncomment(data) {
        const [{ begun } = root, fallback] = [open.at(-1), { end: 0 }];
        if (data === '$?') fallbacks.set(parser.endIndex + 1, fallback);
        if (/^(?:\$[?!~]?|&)$/.test(data)) begun.push(fallback);
        else if (/^\/[$&]$/.test(data)) Object.assign(begun.pop() ?? {}, { end: parser.startIndex });
      },
    },
    { decodeEntities: false },
  );
  parser.end(page);
  cuts.sort((one, other) => one.start - other.start);
  const write = (from: number, to: number, depth: number): string => {
    if (depth > maxDepth) isClear = false;
    let [text, at] = ['', from];
    for (const { start, end, part } of isClear ? cuts : []) {
      if (start < at || end > to) continue;
      text += page.slice(at, start) + (part ? write(part.from, part.to, depth + deepest) : '');
      at = end;
    }
    return text + page.slice(at, to);
  };
  const placed = write(0, page.length, deepest);
  return isClear ? placed : page;
}
