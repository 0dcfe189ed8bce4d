/** Measures several cases in milliseconds, in turn each round, so that a busy machine affects all equally. */
export async function interleave(
  cases: Record<string, () => Promise<unknown>>,
  rounds: number,
  warmUps = 3,
): Promise<Record<string, number[]>> {
  const times: Record<string, number[]> = Object.fromEntries(Object.keys(cases).map((name) => [name, []]));
  for (let round = -warmUps; round < rounds; round++) {
    for (const [name, work] of Object.entries(cases)) {
      const start = performance.now();
      await work();
      if (round >= 0) times[name]?.push(performance.now() - start);
    }
  }
  return times;
}

/** Returns the median; for an even count, the mean of the two middle values. */
export function median(figures: readonly number[]): number {
  const sorted = [...figures].sort((one, other) => one - other);
  const middle = sorted.length / 2;
  const high = sorted[Math.floor(middle)] ?? Number.NaN;
  const low = sorted[Math.ceil(middle) - 1] ?? Number.NaN;
  return (high + low) / 2;
}

/** Prints a row per case: count, median, minimum, maximum, and the median relative to the first case. */
export function printTimes(times: Record<string, number[]>): void {
  const [first] = Object.values(times);
  const floor = median(first ?? []);
  console.table(
    Object.fromEntries(
      Object.entries(times).map(([name, figures]) => [
        name,
        {
          n: figures.length,
          'median ms': round(median(figures)),
          'min ms': round(Math.min(...figures)),
          'max ms': round(Math.max(...figures)),
          'x first': round(median(figures) / floor),
        },
      ]),
    ),
  );
}

/** Prints a result and its target. */
export function printTarget(what: string, reached: number, target: string, met: boolean): void {
  console.log(`${met ? 'met   ' : 'MISSED'}  ${what}: ${round(reached)} (target: ${target})`);
}

export function round(figure: number): number {
  return Math.round(figure * 100) / 100;
}
