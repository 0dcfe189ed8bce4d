// @ts-check
import { availableParallelism, loadavg } from 'node:os';

/** Measures the load of the machine from now on: how many programs wanted a processor at a time. */
export function meanLoad() {
  const began = performance.now();
  /** @type {number[]} */
  const samples = [];
  const timer = setInterval(() => samples.push(loadavg()[0] ?? 0), 2000).unref();
  return {
    /** Ends the measurement, and returns the time and the load in words. */
    end() {
      clearInterval(timer);
      const seconds = `${((performance.now() - began) / 1000).toFixed(1)} s`;
      // Windows counts no load.
      const mean = samples.reduce((sum, value) => sum + value, 0) / samples.length;
      return mean > 0 ? `${seconds}, load ${mean.toFixed(1)} on ${availableParallelism()} processors` : seconds;
    },
  };
}
