import { Parser } from 'htmlparser2';

/** Where an element, or what it has a place in, is in the page, and where its content is; 0: unknown. */
interface Piece {
  start: number;
  end: number;
  from: number;
  to: number;
}

/** How scripts of React say that a part takes the place of a fallback, or of a marker: `$RC("B:0","S:0")`, `$RS("S:1","P:1")`. */
const call = /\$R([CRS])\("([^"]{1,200})","([^"]{1,200})"/g;
const maxCalls = 1000;

/**
 * Puts the parts that React sent at the end of a page where the scripts of the page move them. A fallback begins with a
 * template, and is between a comment of React and `/$`.
 */
export function placeStreamedParts(page: string): string {
  const calls = [...page.matchAll(call)].slice(0, maxCalls).map(([, kind, one = '', other = '']) => {
    return kind === 'S' ? { part: one, place: other } : { part: other, place: one, isFallback: true };
  });
  if (calls.length === 0) return page;
  const ids = new Set(calls.flatMap(({ part, place }) => [part, place]));
  const found = new Map<string, Piece & { fallback: { end: number } | undefined }>();
  const open: string[] = [];
  const fallbacks: { end: number }[] = [];
  const parser = new Parser(
    {
      onopentag(_name, { id = '' }) {
        const isFirst = ids.has(id) && !found.has(id);
        const [start, from] = [parser.startIndex, parser.endIndex + 1];
        if (isFirst) found.set(id, { start, from, to: 0, end: 0, fallback: fallbacks.at(-1) });
        open.push(isFirst ? id : '');
      },
      onclosetag() {
        Object.assign(found.get(open.pop() ?? '') ?? {}, { to: parser.startIndex, end: parser.endIndex + 1 });
      },
      oncomment(data) {
        if (/^(?:\$[?!~]?|&)$/.test(data)) fallbacks.push({ end: 0 });
        else if (/^\/[$&]$/.test(data)) Object.assign(fallbacks.pop() ?? {}, { end: parser.startIndex });
      },
    },
    { decodeEntities: false },
  );
  parser.end(page);
  const cuts: Piece[] = calls.flatMap(({ part, place, isFallback }) => {
    const [piece, at] = [found.get(part), found.get(place)];
    const end = (isFallback ? at?.fallback : at)?.end;
    return at && piece?.end && end
      ? [
          { ...piece, start: at.start, end },
          { ...piece, from: 0, to: 0 },
        ]
      : [];
  });
  cuts.sort((one, other) => one.start - other.start);
  const write = (from: number, to: number): string => {
    let [text, at] = ['', from];
    for (const cut of cuts) {
      if (cut.start < at || cut.end > to) continue;
      const content = { ...cut };
      // A part is in one place, and not in itself.
      Object.assign(cut, { from: 0, to: 0 });
      text += page.slice(at, cut.start) + write(content.from, content.to);
      at = cut.end;
    }
    return text + page.slice(at, to);
  };
  return write(0, page.length);
}
