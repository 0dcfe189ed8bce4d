import assert from 'node:assert/strict';
import { type Findings, runConformance, startFixtureServer } from '../../harness/conformance.ts';
import { startTestService, type TestService } from '../../harness/service.ts';

/** What the revisions require of any server, whatever its tools. */
const ofAny = [
  'tools-list',
  'resources-list',
  'prompts-list',
  'server-sse-multiple-streams',
  'dns-rebinding-protection',
];
const own: Record<string, string[]> = {
  '2025-11-25': [...ofAny, 'server-initialize', 'ping', 'server-session-lifecycle'],
  '2026-07-28': [
    ...ofAny,
    ...['server-stateless', 'sep-2164-resource-not-found', 'caching', 'http-header-validation'],
    ...['input-required-result-missing-input-response', 'input-required-result-unsupported-methods'],
    ...['input-required-result-ignore-extra-params', 'input-required-result-validate-input'],
  ],
};
/** What is tested with the suite's tools, resources and prompts. */
const withFixtures = [
  ...['tools-call-simple-text', 'tools-call-image', 'tools-call-audio', 'tools-call-embedded-resource'],
  ...['tools-call-mixed-content', 'tools-call-error', 'tools-call-with-progress'],
  ...['resources-read-text', 'resources-read-binary', 'resources-templates-read'],
  ...['prompts-get-simple', 'prompts-get-with-args'],
];

function assertPassed(findings: Findings, scenarios: readonly string[]): void {
  const failed = scenarios.flatMap((name) => {
    const found = findings[name];
    if (!found) return [`${name} was not run`];
    return found.failed.map((each) => `${name}: ${each}`);
  });
  assert.deepEqual(failed, []);
}

describe('the official conformance suite of the Model Context Protocol', () => {
  let service: TestService;
  let fixtures: Awaited<ReturnType<typeof startFixtureServer>>;
  before(async () => {
    service = await startTestService({ apiKeys: undefined });
    fixtures = await startFixtureServer();
  });
  after(async () => {
    await fixtures?.close();
    await service?.close();
  });

  for (const revision of ['2025-11-25', '2026-07-28']) {
    it(`passes for ${revision}, as far as it fits the service's own tools`, async () => {
      assertPassed(await runConformance(`${service.baseUrl}/mcp`, revision), own[revision] ?? []);
    });

    it(`passes for ${revision} with the suite's tools, resources and prompts`, async () => {
      assertPassed(await runConformance(fixtures.url, revision), [
        ...withFixtures,
        ...(own[revision] ?? []).filter((name) => name !== 'dns-rebinding-protection'),
      ]);
    });
  }
});
