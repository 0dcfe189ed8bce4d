// @ts-check

/**
 * Programs that may run at the same time: each has a load, and together they have at most `capacity`. The first that
 * fits starts: one that waits for more room keeps no smaller one waiting.
 * @typedef {ReturnType<typeof makeSlots>} Slots
 *
 * @param {number} capacity
 */
export function makeSlots(capacity) {
  let free = capacity;
  /** @type {{ load: number, start: () => void }[]} */
  const waiting = [];
  const admit = () => {
    for (;;) {
      const next = waiting.find(({ load }) => load <= free);
      if (!next) return;
      waiting.splice(waiting.indexOf(next), 1);
      free -= next.load;
      next.start();
    }
  };

  return {
    /**
     * Runs `work` in its turn, and returns what it returns.
     * @template T
     * @param {number} wanted the load; one above the capacity runs alone
     * @param {() => Promise<T>} work
     * @returns {Promise<T>}
     */
    async run(wanted, work) {
      const load = Math.min(wanted, capacity);
      await new Promise((/** @type {(value?: undefined) => void} */ start) => {
        waiting.push({ load, start });
        admit();
      });
      try {
        return await work();
      } finally {
        free += load;
        admit();
      }
    },
  };
}
