/** Whether everything is tried that there is to try, without leeway, as in `npm run faults`; `npm test` tries a sample. */
export const isWhole = process.env.WEBDATA_FAULT_POINTS === 'all';

/** Returns all items, or at most so many of them, from the first on, the same in every run. */
export function sampleOf<Item>(items: readonly Item[], count: number): Item[] {
  const every = isWhole ? 1 : Math.ceil(items.length / count);
  return items.filter((_, index) => index % every === 0);
}
