// @ts-check

/**
 * Programs that may run at the same time: each has a load, and together they have at most `capacity`. They start in the
 * order in which they asked.
 * @typedef {ReturnType<typeof makeSlots>} Slots
 *
 * @param {number} capacity
 */
export function makeSlots(capacity) {
  let free = capacity;
  /** @type {{ load: number, start: () => void }[]} */
  const waiting = [];
  const admit = () => {
    for (let [first] = waiting; first && first.load <= free; [first] = waiting) {
      waiting.shift();
      free -= first.load;
      first.start();
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
