import assert from 'node:assert/strict';
import { agentRules } from '../../../../src/contract/mcp/agent-keys.ts';
import { isListed } from '../../../../src/service/assistants/steering/hosts.ts';
import { createPermits } from '../../../../src/service/assistants/steering/permits.ts';
import { createSteering, type SteeredCall } from '../../../../src/service/assistants/steering/steering.ts';
import { createFakeClock } from '../../../harness/fake-clock.ts';

const caller = { team: 'default', keyLabel: 'Cursor', agentKey: 'k1' };

function callOf(signal = new AbortController().signal): SteeredCall & { reports: string[] } {
  const reports: string[] = [];
  const report = ({ message }: { message: string }) => void reports.push(message);
  return { agent: { caller }, signal, report, notes: [], waitedMs: 0, reports };
}

describe('what agents ask a person for', () => {
  it('is denied when nobody answers in time, and says so in words', async () => {
    const clock = createFakeClock();
    const permits = createPermits({ rulesOf: () => agentRules.parse({}), clock, onChange: () => undefined });
    const call = callOf();
    const asked = permits.permit({ kind: 'download', host: 'a.test', detail: 'prices.csv' }, call);
    assert.equal(permits.list('default').length, 1);
    assert.deepEqual(permits.list('other'), []);
    clock.advance(44_000);
    assert.equal(permits.list('default').length, 1);
    clock.advance(1_000);
    await assert.rejects(asked, /nobody answered within 45 s.*ask the user to allow it/);
    assert.equal(call.waitedMs, 45_000);
    assert.match(call.reports.at(-1) ?? '', /^Waiting for the user to allow this: 4\d s$/);
  });

  it('is no longer shown when the agent gives up, and only its own team can answer', async () => {
    const clock = createFakeClock();
    const permits = createPermits({ rulesOf: () => agentRules.parse({}), clock, onChange: () => undefined });
    const cancel = new AbortController();
    const asked = permits.permit({ kind: 'password', host: 'a.test', detail: '' }, callOf(cancel.signal));
    const [request] = permits.list('default');
    assert.throws(() => permits.answer('other', request?.id ?? '', 'once'), /is no longer waiting/);
    cancel.abort(new Error('cancelled'));
    await assert.rejects(asked, /cancelled/);
    assert.deepEqual(permits.list('default'), []);
  });

  it('is never more than 50 things at once, which keeps no other team from asking', async () => {
    const permits = createPermits({
      rulesOf: () => agentRules.parse({}),
      clock: createFakeClock(),
      onChange: () => undefined,
    });
    const wanted = { kind: 'download', host: 'a.test', detail: 'prices.csv' } as const;
    const asked = Array.from({ length: 50 }, () => permits.permit(wanted, callOf()));
    await assert.rejects(permits.permit(wanted, callOf()), /Too many calls/);
    const other = { ...callOf(), agent: { caller: { ...caller, team: 'other' } } };
    asked.push(permits.permit(wanted, other));
    assert.equal(permits.list('other').length, 1);
    permits.close();
    await Promise.allSettled(asked);
  });

  it('is not asked for a call that was canceled before', async () => {
    const permits = createPermits({
      rulesOf: () => agentRules.parse({}),
      clock: createFakeClock(),
      onChange: () => undefined,
    });
    const wanted = { kind: 'download', host: 'a.test', detail: 'prices.csv' } as const;
    await assert.rejects(permits.permit(wanted, callOf(AbortSignal.abort(new Error('canceled')))), /canceled/);
    assert.deepEqual(permits.list('default'), []);
  });

  it('is what the rules of its key do not allow', () => {
    const asks = (rules: object, kind: 'host' | 'download' | 'password' | 'code', host = 'a.test') =>
      !createPermits({
        rulesOf: () => agentRules.parse(rules),
        clock: createFakeClock(),
        onChange: () => undefined,
      }).permits({ kind, host, detail: '' }, caller);
    assert.deepEqual(
      [asks({}, 'host'), asks({}, 'download'), asks({}, 'password'), asks({}, 'code')],
      [false, true, true, false],
    );
    const listed = { hosts: ['a.test'], downloads: 'allow', passwords: 'allow' };
    assert.deepEqual(
      [asks(listed, 'host'), asks(listed, 'host', 'b.test'), asks(listed, 'download'), asks(listed, 'password')],
      [false, true, false, false],
    );
    assert.equal(asks(listed, 'code'), true);
  });

  it('is each file that is uploaded, and only from the folders that the rules name', async () => {
    const permits = createPermits({
      rulesOf: () => agentRules.parse({ hosts: null, downloads: 'allow', uploads: ['/home/ada/out'] }),
      clock: createFakeClock(),
      onChange: () => undefined,
    });
    const wanted = (detail: string) => ({ kind: 'upload', sessionId: 's', host: 'a.test', detail }) as const;
    for (const path of [
      '/home/ada/secret.txt',
      '/home/ada/out/../secret',
      '/home/ada/outer/a',
      '/home/ada/out\n/etc/passwd',
    ])
      await assert.rejects(permits.permit(wanted(path), callOf()), /rules don't let you upload/, path);
    assert.deepEqual(permits.list('default'), [], 'the user is not even asked');
    const first = permits.permit(wanted('/home/ada/out/a.csv'), callOf());
    const [request] = permits.list('default');
    assert.ok(request);
    permits.answer('default', request.id, 'session');
    await first;
    assert.equal(permits.permits(wanted('/home/ada/out/a.csv'), caller), true);
    assert.equal(permits.permits(wanted('/home/ada/out/b.csv'), caller), false, 'another file is asked for again');
  });

  it('are hosts by name, port and wildcard', () => {
    const cases: [string, string[], boolean][] = [
      ['example.com', ['example.com'], true],
      ['example.com:8080', ['example.com'], true],
      ['example.com:8080', ['example.com:8080'], true],
      ['example.com:81', ['example.com:8080'], false],
      ['www.example.com', ['example.com'], false],
      ['www.example.com', ['*.example.com'], true],
      ['notexample.com', ['*.example.com'], false],
      ['EXAMPLE.com.', ['example.com'], true],
      ['[::1]:3000', ['[::1]'], true],
      ['localhost:3000', [], false],
    ];
    for (const [host, list, expected] of cases) assert.equal(isListed(host, list), expected, `${host} in ${list}`);
    for (const wrong of ['https://a.test', 'a b', '*', '*.', 'a.test/path'])
      assert.equal(agentRules.safeParse({ hosts: [wrong] }).success, false, wrong);
  });
});

describe('a session that a person has taken over', () => {
  it('refuses what an agent does after a bounded time, and says what to do', async () => {
    const clock = createFakeClock();
    const told: boolean[] = [];
    const steering = createSteering({ rulesOf: () => undefined, send: () => undefined, clock });
    const session = { id: 's1', setHeld: (held: boolean) => void told.push(held) };
    const call = callOf();
    assert.equal(await steering.act(session, call, { anyPage: false }, async () => 'done'), 'done');
    steering.setControlled('default', 's1', true);
    const waiting = steering.act(session, call, { anyPage: false }, async () => 'done');
    clock.advance(19_000);
    clock.advance(1_000);
    await assert.rejects(
      waiting,
      /^ServiceError: Not done: the user has taken over.*Next: wait, then call this tool again/,
    );
    assert.match(call.reports.join(), /waiting, 18 s/);
    steering.setControlled('default', 's1', false);
    await assert.rejects(
      steering.act(session, call, { anyPage: false }, async () => 'done'),
      /handed it back.*Next: page_snapshot/,
    );
    assert.equal(await steering.act(session, call, { anyPage: false }, async () => 'done'), 'done');
    const running = steering.running(session, async () => steering.setControlled('default', 's1', true));
    await running;
    assert.deepEqual(told, [false, true, false]);
    steering.close();
  });

  it('starts again what was queued when the person took it over', async () => {
    const clock = createFakeClock();
    const steering = createSteering({ rulesOf: () => undefined, send: () => undefined, clock });
    const session = { id: 's1', setHeld: () => undefined };
    let attempts = 0;
    const acted = steering.act(session, callOf(), { anyPage: true }, async (check) => {
      if (++attempts === 1) steering.setControlled('default', 's1', true);
      check();
      return attempts;
    });
    await new Promise((resolve) => setImmediate(resolve));
    steering.setControlled('default', 's1', false);
    assert.equal(await acted, 2);
    steering.close();
  });
});
