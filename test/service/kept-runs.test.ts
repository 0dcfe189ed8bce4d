import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { runIdHeader } from '../../src/contract/embedded.ts';
import { limits } from '../../src/contract/limits.ts';
import { runLimitHeader } from '../../src/contract/sessions/execution.ts';
import { createSession } from '../harness/browser-checks.ts';
import { awaits, created, creates } from '../harness/code-files.ts';
import { eventually } from '../harness/eventually.ts';
import { temporaryFolder } from '../harness/folders.ts';
import { installedTools } from '../harness/runner-tools.ts';
import { startTestService, type TestService } from '../harness/service.ts';

describe('the runs of windows', () => {
  let service: TestService;
  let sessionId: string;
  const dataDir = temporaryFolder();
  before(async () => {
    service = await startTestService({ dataDir, ...(await installedTools()) });
    sessionId = await createSession(service);
  });
  after(() => rmSync(dataDir, { recursive: true, force: true }));

  function run(code: string, runId: string, limit = 'none', signal?: AbortSignal, body: object = {}) {
    return fetch(`${service.baseUrl}/v2/browser/${sessionId}/execute`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${service.apiKey}`,
        'content-type': 'application/json',
        [runIdHeader]: runId,
        [runLimitHeader]: limit,
      },
      body: JSON.stringify({ code, language: 'node', timeout: 1, ...body }),
      ...(signal && { signal }),
    });
  }

  it('have the limit that the window gives, or none, and not that of the request', async () => {
    const slow = 'await new Promise((resolve) => setTimeout(resolve, 1500)); "done"';
    const answer = (await (await run(slow, randomUUID())).json()) as { result: string };
    assert.equal(answer.result, 'done');
    const killed = (await (await run('for (;;);', randomUUID(), '1')).json()) as { killed: boolean; error: string };
    assert.deepEqual([killed.killed, killed.error], [true, 'The run was killed after its timeout of 1 s.']);
    const { status } = await run('1', randomUUID(), 'forever');
    assert.equal(status, 400);
  });

  it('go on when their window disconnects, and it can wait for their outcome', async () => {
    const runId = randomUUID();
    const [started, released] = [join(dataDir, 'started'), join(dataDir, 'released')];
    const code = `${creates(started)} ${awaits(released)} 'went on'`;
    const connection = new AbortController();
    const lost = run(code, runId, 'none', connection.signal);
    lost.catch(() => undefined);
    await created(started);
    connection.abort();
    await assert.rejects(lost);
    const waiting = service.call('GET', `/embedded/runs/${runId}`);
    writeFileSync(released, '');
    assert.deepEqual([(await waiting).status, (await waiting).body.result], [200, 'went on']);
    const other = { headers: { authorization: 'Bearer other-team-key-0123456789' } };
    assert.equal((await service.call('GET', `/embedded/runs/${runId}`, undefined, other)).status, 404);
  });

  it('end when the window asks for it', async () => {
    const runId = randomUUID();
    const running = run('for (;;);', runId);
    await eventually(async () => {
      await service.call('POST', `/embedded/runs/${runId}/stop`, {});
      assert.equal(await Promise.race([running.then(() => 'ended'), sleep(50, 'running')]), 'ended');
    });
    const answer = (await (await running).json()) as { killed: boolean; error: string };
    assert.deepEqual([answer.killed, answer.error], [true, 'The run was canceled.']);
  });

  it('can be stopped before their request arrives', async () => {
    const runId = randomUUID();
    await service.call('POST', `/embedded/runs/${runId}/stop`, {});
    const response = await run('for (;;);', runId);
    assert.deepEqual(
      [response.status, ((await response.json()) as { error: string }).error],
      [499, 'The run was canceled.'],
    );
  });

  for (const [language, code] of [
    ['node', 'Array.from({ length: 20_000 }, (_, n) => ({ n, text: "x".repeat(170) }))'],
    ['python', '[{"n": n, "text": "x" * 170} for n in range(20_000)]'],
  ] as const) {
    it(`have their whole result kept when it is cut (${language})`, async () => {
      const runId = randomUUID();
      const response = await run(code, runId, 'none', undefined, { language });
      const answer = (await response.json()) as {
        result: string;
        truncated: boolean;
        sizes: { rows: number; kept: string[]; result: number };
      };
      assert.equal(answer.truncated, true, JSON.stringify(answer).slice(0, 500));
      assert.ok(Buffer.byteLength(answer.result) <= limits.output);
      assert.deepEqual([answer.sizes.rows, answer.sizes.kept], [20_000, ['result']]);
      const { body } = await service.call('GET', `/embedded/runs/${runId}/result`);
      assert.equal(Buffer.byteLength(body.result), answer.sizes.result);
      assert.equal(JSON.parse(body.result).length, 20_000);
    });
  }

  it('say whether an empty result is the value of the code', async () => {
    for (const [code, expected] of [
      ["''", true],
      ['undefined', undefined],
    ] as const) {
      const answer = (await (await run(code, randomUUID())).json()) as { result: string; emptyValue?: boolean };
      assert.deepEqual([answer.result, answer.emptyValue], ['', expected]);
    }
  });

  it('have their whole output kept when it is cut, at most 32 MB of it', async () => {
    const write = (lines: number) =>
      `for (let n = 1; n <= ${lines}; n++) process.stdout.write('line ' + n + ' ä'.repeat(40) + '\\n'); process.stderr.write('ö'.repeat(700_000)); 'done'`;
    const runId = randomUUID();
    const answer = (await (await run(write(20_000), runId)).json()) as {
      stdout: string;
      result: string;
      sizes: { kept: string[]; stdout: number };
    };
    assert.ok(Buffer.byteLength(answer.stdout) <= limits.output);
    assert.deepEqual([answer.result, answer.sizes.kept], ['done', ['stdout', 'stderr']]);
    const { body } = await service.call('GET', `/embedded/runs/${runId}/result?part=stdout`);
    assert.equal(Buffer.byteLength(body.result), answer.sizes.stdout);
    assert.ok(body.result.startsWith(answer.stdout));
    const lines = body.result.trimEnd().split('\n');
    assert.equal(lines.length, 20_000);
    assert.match(lines[19_999], /^line 20000( ä){40}$/);
    const errors = await service.call('GET', `/embedded/runs/${runId}/result?part=stderr`);
    assert.equal(errors.body.result, 'ö'.repeat(700_000));
    const tooMuch = (await (await run(write(300_000), randomUUID())).json()) as { sizes: { kept: string[] } };
    assert.deepEqual(tooMuch.sizes.kept, ['stderr']);
  });

  it('leave nothing of their results when the service stops', async () => {
    const folder = join(dataDir, 'results');
    assert.ok(readdirSync(folder).length > 0);
    await service.close();
    assert.equal(existsSync(folder), false);
  });
});
