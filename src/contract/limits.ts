/** Every limit and default of the service, in one place (specification, "Limits" and the field tables). Times are in seconds unless named otherwise. */
export const limits = {
  code: { min: 1, max: 100_000 },
  prompt: { min: 1, max: 10_000 },
  crawlPrompt: { max: 10_000 },
  question: { min: 1, max: 4_000 },
  runTimeout: { min: 1, max: 300, default: 30 },
  ttl: { min: 30, max: 3600, default: 600 },
  activityTtl: { min: 10, max: 3600, default: 300 },
  profileName: { min: 1, max: 128 },
  sessionId: { min: 1, max: 200 },
  activityPage: { min: 1, max: 100, default: 50 },
  activityWindow: 24 * 60 * 60,
  tokensPerCredit: 15,
  concurrentSessions: { default: 5 },
  /** Bytes of a request body. */
  body: 10 * 1024 * 1024,
  /** Bytes kept of each of stdout, stderr and result of a run. */
  output: 1024 * 1024,
} as const;
