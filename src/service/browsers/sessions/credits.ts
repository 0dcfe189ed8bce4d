/** Credits per hour of a session: code only, and once a prompt has run in it. */
const hourly = { code: 120, prompt: 420 } as const;

/** Returns the credits for a session of `durationMs`: prorated by the hour, rounded up, with a minimum of one minute. */
export function sessionCredits(durationMs: number, prompted: boolean): number {
  const rate = prompted ? hourly.prompt : hourly.code;
  return Math.max(Math.ceil(rate / 60), Math.ceil((Math.max(0, durationMs) / 3_600_000) * rate));
}
