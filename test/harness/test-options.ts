/** The options that scripts/test.mjs passes to test runners in the variable WEBDATA_TEST_OPTIONS. */
export interface TestOptions {
  /** Absolute paths of the test files; none if the runner asks for one after another. */
  files?: string[];
  /** Folder of the repository. */
  root: string;
  /** Milliseconds for one test. */
  timeout: number;
  /** Only tests whose full title contains or matches this. */
  grep?: string;
  /** Files to test at the same time. */
  jobs?: number;
  /** How many inputs fuzz tests try together. */
  cases?: number;
  /** Makes fuzz tests repeat the inputs of another run. */
  seed?: number;
  /** A forgotten `.only` is an error. */
  forbidOnly: boolean;
  /** Whether the report is for a terminal. */
  color?: boolean;
  /** File for the results, as JSON. */
  resultsFile: string;
  /** File for the output of tests without a terminal. */
  outputFile: string;
}

export const TEST_OPTIONS = 'WEBDATA_TEST_OPTIONS';

export function readTestOptions(env = process.env): TestOptions {
  const json = env[TEST_OPTIONS];
  if (!json) throw new Error(`${TEST_OPTIONS} is not set: run the tests with "npm test" or "npm run test:…".`);
  return JSON.parse(json) as TestOptions;
}
