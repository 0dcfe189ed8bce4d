/** What scripts/test.mjs tells the programs that run tests, in the variable WEBDATA_TEST_OPTIONS. */
export interface TestOptions {
  /** Absolute paths of the test files. */
  files: string[];
  /** Milliseconds for one test. */
  timeout: number;
  /** Only tests whose full title contains or matches this. */
  grep?: string;
  /** A forgotten `.only` is an error. */
  forbidOnly: boolean;
  /** Where the counts go, as JSON. */
  countsFile: string;
  /** Where tests that have no terminal write what they would print. */
  outputFile: string;
}

export const TEST_OPTIONS = 'WEBDATA_TEST_OPTIONS';

export function readTestOptions(env = process.env): TestOptions {
  const json = env[TEST_OPTIONS];
  if (!json) throw new Error(`${TEST_OPTIONS} is not set: run the tests with "npm test" or "npm run test:…".`);
  return JSON.parse(json) as TestOptions;
}
