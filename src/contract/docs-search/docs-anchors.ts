/** Returns a function that maps the headings of a page to anchors as GitHub does: repeated ones get -1, -2, … */
export function createAnchors(): (heading: string) => string {
  const taken = new Map<string, number>();
  return (heading) => {
    const base = anchorOf(heading);
    let anchor = base;
    let count = taken.get(base) ?? 0;
    while (taken.has(anchor)) anchor = `${base}-${++count}`;
    taken.set(base, count).set(anchor, 0);
    return anchor;
  };
}

/** The anchor of a heading's plain text: lower case, without punctuation, with hyphens for spaces. */
export function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}\p{Pc}\- ]/gu, '')
    .replaceAll(' ', '-');
}
