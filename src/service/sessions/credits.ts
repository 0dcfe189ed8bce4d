/** Credits an hour of a session costs: with code alone, and once a prompt ran in it. */
const hourly = { code: 120, prompt: 420 } as const;

/** Whole credits for a session of `durationMs`: by the hour, rounded up, and never less than a minute's worth. */
export function sessionCredits(durationMs: number, prompted: boolean): number {
  const rate = prompted ? hourly.prompt : hourly.code;
  return Math.max(Math.ceil(rate / 60), Math.ceil((Math.max(0, durationMs) / 3_600_000) * rate));
}
