import { createPool } from '../../../platform/pool.ts';

/** Large maps that go on at the same time, and how many more may, one for each team that has none. Others wait. */
const [most, shares] = [3, 3];
/** Characters of URLs from which a map is large: those of common sites with 5000 pages have half of this. */
const large = 1_000_000;

/** Limits the memory that the maps of all teams take. */
export type LargeMaps = ReturnType<typeof createLargeMaps>;

export function createLargeMaps(pool: Pick<ReturnType<typeof createPool>, 'acquire'> = createPool(most, shares)) {
  return {
    /** Opens a place among the large maps, which a map takes when it becomes one. */
    open(team: string, signal: AbortSignal) {
      let place: Promise<() => void> | undefined;
      async function take(): Promise<void> {
        place ??= pool.acquire(team, signal);
        await place;
      }
      return {
        /** Waits until there is a place. Rejects when `signal` aborts. */
        take,
        /** The same, if so many characters of URLs make the map a large one. */
        takeFor: async (characters: number): Promise<void> => {
          if (characters > large) await take();
        },
        /** Leaves the place, if the map has one. Never rejects. */
        release: async (): Promise<void> => {
          await place?.then(
            (leave) => leave(),
            () => undefined,
          );
        },
      };
    },
  };
}
