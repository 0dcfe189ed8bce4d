import assert from 'node:assert/strict';
import { activityTexts, activityTooltip } from '../../../src/extension/activity/activity-texts.ts';
import { ModelServerError, testModel } from '../../../src/extension/agents/language-model/model-servers.ts';
import { sessionTexts } from '../../../src/extension/browser-sessions/session-texts.ts';
import { crawlLines, crawlTexts, endedText } from '../../../src/extension/crawls/crawl-texts.ts';
import { optionLines } from '../../../src/extension/crawls/option-lines.ts';
import { questionAbout } from '../../../src/extension/docs-chat/question/question.ts';
import { pageRow } from '../../../src/extension/pages/page-rows.ts';
import { agentState, requestText, stepWords } from '../../../src/extension/ui/text/agent-texts.ts';
import { label, messageOf, shortAddress, stateWord } from '../../../src/extension/ui/text/text.ts';
import { pageTexts, watchTexts } from '../../../src/extension/watches/watch-texts.ts';
import { deliveryTexts, forwardingTexts } from '../../../src/extension/webhooks/delivery-texts.ts';
import { fake } from '../../harness/fake-vscode.ts';
import { longText, tooLong } from '../../harness/long-texts.ts';

const url = `https://site.test/${longText}`;
const now = Date.UTC(2026, 0, 1);
/** What a server sends, with a long text in every field that is one. */
const sent = {
  id: longText,
  shortId: 'x',
  name: longText,
  title: longText,
  url,
  pageUrl: url,
  pageTitle: longText,
  target: url,
  status: longText,
  state: longText,
  endpoint: longText,
  kind: longText,
  type: longText,
  origin: longText,
  error: longText,
  warning: longText,
  reason: longText,
  endReason: longText,
  code: longText,
  profile: longText,
  agent: longText,
  host: longText,
  detail: longText,
  action: longText,
  text: longText,
  key: longText,
  goal: longText,
  apiVersion: longText,
  webhookId: longText,
  jobId: longText,
  event: longText,
  handler: longText,
  webhookUrl: url,
  createdAt: now,
  at: now,
  receivedAt: now,
  startedAt: now,
  size: 1,
  leftOut: [],
  forwardings: [{ handler: longText, error: longText, at: now, sentAt: now }],
  repeats: 2,
  conflicts: 2,
  options: {
    url,
    prompt: longText,
    includePaths: [longText],
    headers: { [longText]: longText },
    [longText]: longText,
  },
  targets: [],
  schedule: { cron: longText, timezone: longText },
  summary: {},
  changed: true,
  verification: 'valid',
  metadata: { title: longText },
  cdpUrl: url,
  acting: true,
  active: true,
  outcome: { kind: longText },
  folder: longText,
  path: `/${longText}`,
  sourceUrl: url,
  // biome-ignore lint/suspicious/noExplicitAny: each function reads some of it
} as any;

describe('a text of the extension', () => {
  const texts: Record<string, () => unknown> = {
    'a label': () => [label(longText), shortAddress(url), stateWord(longText), messageOf(new Error(longText))],
    'a session': () => sessionTexts(sent, { now } as Parameters<typeof sessionTexts>[1]),
    'a crawl': () => {
      const crawl = { ...sent, optionLines: optionLines(sent.options) };
      return [crawlTexts(crawl, now), crawlLines(crawl), endedText('a.test', crawl)];
    },
    'a request': () => [activityTexts(sent), activityTooltip(sent)],
    'a page': () => pageRow(sent, ''),
    'a watch': () => [watchTexts(sent, true, now), pageTexts(sent)],
    'a delivery': () => deliveryTexts(sent, now),
    'a handler': () => forwardingTexts(sent, now),
    'an agent': () =>
      [
        agentState(sent),
        ...['password', 'download', 'upload', 'code', 'host'].map((kind) => requestText({ ...sent, kind })),
        ...['search', 'map', 'read', 'browse', 'x'].map((action) => stepWords({ action, text: longText })),
      ] as unknown,
  };
  for (const [what, text] of Object.entries(texts))
    it(`is a few hundred characters long, whatever a server sends of ${what}`, () =>
      assert.deepEqual(tooLong(text(), what), []));

  it('is as long in a message and in the log', async () => {
    // With the stand-in for VS Code, which is there now.
    const { reportFailure, showError, UserError } = await import('../../../src/extension/ui/commands.ts');
    const { revealLocation } = await import('../../../src/extension/runs/results/result-actions.ts');
    fake.reset();
    const logged: string[] = [];
    const log = { error: (line: string) => void logged.push(line) };
    for (const error of [new Error(longText), new UserError(longText), longText]) {
      await showError(error);
      reportFailure('webdata.x', error, log);
    }
    const run = { document: 'file:///a.js' } as Parameters<typeof revealLocation>[0];
    await revealLocation(run, { path: `/${longText}`, line: 1, column: 1 }).catch(showError);
    assert.equal(fake.messages.length, 7);
    assert.deepEqual([...tooLong(fake.messages, 'message'), ...tooLong(logged, 'log')], []);
  });

  it('has nothing in a message and in the log that a terminal obeys or that hides what it says', async () => {
    const { reportFailure } = await import('../../../src/extension/ui/commands.ts');
    fake.reset();
    const logged: string[] = [];
    const log = { error: (line: string) => void logged.push(line) };
    reportFailure('webdata.x', new Error('\x9b31mred\x1b]8;;https://evil.test\x07 \u202etxt.exe\x7f'), log);
    assert.deepEqual(logged, ['webdata.x: 31mred]8;;https://evil.test txt.exe']);
    assert.match(JSON.stringify(fake.messages), /^[^\p{Cc}\u202e]+$/u);
  });

  it('is as long when it asks about an error', () => {
    const { question } = questionAbout({ selection: '', language: 'plaintext', error: longText });
    assert.deepEqual(tooLong(question), []);
  });

  it("is as long when a language model's server says it, and lacks its key", async () => {
    const apiKey = `open-sesame-${'k'.repeat(300)}`;
    const said = `${'x'.repeat(90)}${apiKey}${longText}`;
    for (const answer of [said, JSON.stringify({ error: { message: said } })]) {
      const fetch = async () => new Response(answer, { status: 500 });
      const error = await testModel({ baseUrl: 'http://127.0.0.1:1/v1', apiKey, model: 'x' }, fetch).then(
        () => assert.fail('It should fail.'),
        (thrown: Error) => thrown,
      );
      assert.ok(error instanceof ModelServerError);
      assert.doesNotMatch(error.message, /sesame|kk/);
      assert.deepEqual(tooLong(error.message), []);
    }
  });
});
