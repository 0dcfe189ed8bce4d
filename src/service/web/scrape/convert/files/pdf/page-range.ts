/** Returns the page numbers of a range such as `1-3,7`, in order; all `count` pages without one. Pages that don't exist are left out. */
export function pagesIn(range: string | undefined, count: number): number[] {
  if (range === undefined) return Array.from({ length: count }, (_, index) => index + 1);
  const found = new Set<number>();
  for (const part of range.split(',')) {
    const [from = '', to = from] = part.trim().split('-');
    const last = Math.min(count, to === '' ? count : Number(to));
    for (let page = Math.max(1, Number(from)); page <= last; page++) found.add(page);
  }
  return [...found].sort((one, other) => one - other);
}
