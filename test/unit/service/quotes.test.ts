import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { parseStartArguments } from '../../../scripts/lib/start-arguments.mjs';
import { parseTestArguments } from '../../../scripts/lib/test-arguments.mjs';
import { withoutIgnored } from '../../../src/contract/ignored-fields.ts';
import { webhookRetryVariable } from '../../../src/contract/webhooks/webhooks.ts';
import { isolationMode } from '../../../src/service/browsers/isolation/isolation.ts';
import { openPlace } from '../../../src/service/browsers/runners/place.ts';
import { keysCommand } from '../../../src/service/keys-command.ts';
import { parseOptions } from '../../../src/service/options.ts';
import { messageOf, ServiceError } from '../../../src/service/platform/errors.ts';
import { readJson } from '../../../src/service/platform/language-model/json-answer.ts';
import { openAiCompatible } from '../../../src/service/platform/language-model/openai-compatible.ts';
import { createLog } from '../../../src/service/platform/log.ts';
import { scheduleOf } from '../../../src/service/web/monitors/schedule.ts';
import { longText, tooLong } from '../../harness/long-texts.ts';

/** Returns what a failing function says. */
async function saidBy(run: () => unknown): Promise<string> {
  try {
    await run();
  } catch (error) {
    return (error as Error).message;
  }
  return assert.fail('It should fail.');
}

describe('an error of the service', () => {
  it('is bounded, whatever it quotes', () => {
    assert.ok(new ServiceError(400, longText).message.length <= 2000);
    assert.ok(messageOf(new Error(longText)).length <= 500);
    assert.equal(new ServiceError(400, 'Bad Request').message, 'Bad Request');
  });

  const quoting: Record<string, () => unknown> = {
    'a number': () => parseOptions(['--port', longText], {}),
    'an address': () => parseOptions(['--host', longText], {}),
    'the name of a host': () => parseOptions(['--allowed-host', `${longText}/`], {}),
    'a kind of isolation': () => isolationMode(longText, false),
    'a file of a secret': () => parseOptions(['--webhook-secret-file', `/${longText}`], {}),
    'a list of seconds': () => parseOptions([], { [webhookRetryVariable]: longText }),
    'a folder for data': () =>
      keysCommand(['list', '--data-dir', `/dev/null/${longText}`], {}, { out() {}, note() {} }, 0),
    'an argument of npm start': () => parseStartArguments([longText], '/'),
    'a suite': () => parseTestArguments([longText]),
    'a test file': () => parseTestArguments([`${longText}.test.ts`]),
    'a schedule': () => scheduleOf({ text: longText, timezone: 'UTC' } as Parameters<typeof scheduleOf>[0]),
    'a cron expression': () =>
      scheduleOf({ cron: `${longText} * * * *`, timezone: 'UTC' } as Parameters<typeof scheduleOf>[0]),
    'an env file': () =>
      openPlace(
        { file: '/a.js', directory: '/', envFile: `/${longText}` } as Parameters<typeof openPlace>[0],
        () => {},
        new AbortController().signal,
      ),
  };
  for (const [what, run] of Object.entries(quoting))
    it(`shortens ${what} that it quotes`, async () => assert.deepEqual(tooLong(await saidBy(run)), []));

  it('shortens a folder of which only a notice tells', async () => {
    const notices: string[] = [];
    const place = { file: `/${longText}/a.js`, directory: `/${longText}` } as Parameters<typeof openPlace>[0];
    await openPlace(place, (text) => notices.push(text), new AbortController().signal);
    assert.equal(notices.length, 1);
    assert.deepEqual(tooLong(notices), []);
  });

  it("shortens what a language model's answer violates, and what its server says", async () => {
    const object = { type: 'object', additionalProperties: { type: 'number' } };
    const answer = await readJson(JSON.stringify({ [longText]: 'x' }), object);
    assert.match(answer?.warning ?? '', /^The JSON doesn't match its schema: q/);
    assert.deepEqual(tooLong(answer?.warning), []);
    const server = createServer((_, response) => response.writeHead(500).end(longText));
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const model = openAiCompatible({ baseUrl: `http://127.0.0.1:${port}`, model: 'x' });
    const messages = [{ role: 'user' as const, content: 'x' }];
    assert.deepEqual(
      tooLong(await saidBy(() => model.complete({ messages, signal: AbortSignal.timeout(60_000) }))),
      [],
    );
    server.close();
  });

  it('repeats no secret', async () => {
    const secret = 'open-sesame';
    const invalid: [args: string[], env?: NodeJS.ProcessEnv][] = [
      ...['--database', '--proxy', '--browser-endpoint', '--search-endpoint', '--node-url', '--public-url'].map(
        (name): [string[]] => [[name, `ftp://user:${secret}@host/`]],
      ),
      [['--api-key', `${secret} x`]],
      [[], { WEBDATA_API_KEYS: `${secret} x` }],
      [[], { WEBDATA_LLM_BASE_URL: `ftp://user:${secret}@host/`, WEBDATA_LLM_MODEL: 'x' }],
      [[], { WEBDATA_WEBHOOK_SECRET: `${secret}\n` }],
    ];
    for (const [args, env = {}] of invalid)
      assert.doesNotMatch(await saidBy(() => parseOptions(args, env)), /sesame/, args[0]);
  });
});

describe('a warning about a field without effect', () => {
  it('names it without repeating what a caller chose', () => {
    for (const field of ['maxConcurrency', 'proxy', 'integration', 'threadId', 'exchange', longText])
      for (const path of ['/v2/scrape', '/v2/crawl', '/v2/agent', '/v2/support/ask'])
        assert.deepEqual(
          tooLong(withoutIgnored(path, { [field]: longText, a: { [longText]: longText } }).warnings),
          [],
        );
  });
});

/** With a color in its two forms, a link, a title of the window, a bell and a change of direction. */
const hostileText =
  '\x1b[31mred\x9b31m \x1b]8;;https://evil.test\x07link\x1b]8;;\x07 \x1b]0;title\x9c \u202etxt.exe \x7f\x08';

describe('a line of the log', () => {
  it('is a few hundred characters long, whatever it quotes', () => {
    const lines: string[] = [];
    const log = createLog('debug', { write: (line) => void lines.push(line) });
    log.warn({ reason: longText, url: longText, pages: 3 }, longText);
    log.error(longText);
    log.info({ job: 'x' }, 'a job ended');
    assert.deepEqual(tooLong(lines.map((line) => JSON.parse(line))), []);
    assert.equal(JSON.parse(lines[0] ?? '').pages, 3);
    assert.equal(JSON.parse(lines[2] ?? '').msg, 'a job ended');
  });

  it('has nothing that a terminal obeys or that hides what it says', () => {
    const lines: string[] = [];
    const log = createLog('debug', { write: (line) => void lines.push(line) });
    log.warn({ reason: hostileText }, hostileText);
    assert.match(lines[0] ?? '', /^[^\p{Cc}\u202e]+\n$/u);
    assert.match(JSON.parse(lines[0] ?? '').reason, /red/);
  });
});
