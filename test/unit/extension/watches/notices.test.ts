import assert from 'node:assert/strict';
import type { Memento } from 'vscode';
import type { Client } from '../../../../src/client/client.ts';
import type { Monitor, MonitorCheck } from '../../../../src/contract/monitors.ts';
import type { Target } from '../../../../src/extension/connection/target.ts';
import { WatchNotices } from '../../../../src/extension/watches/notices.ts';

const at = (minute: number) => new Date(Date.UTC(2026, 0, 1, 12, minute)).toISOString();
const summary = (more: object = {}) => ({ totalPages: 1, same: 0, changed: 0, new: 0, removed: 0, error: 0, ...more });

describe('the notices of watches', () => {
  let stored: Map<string, unknown>;
  let target: Target;
  let notices: WatchNotices;
  let checks: MonitorCheck[];
  let judged: boolean | undefined;
  let calls: number;

  beforeEach(() => {
    stored = new Map();
    target = { kind: 'embedded' };
    checks = [];
    judged = undefined;
    calls = 0;
    const state = {
      get: (key: string) => stored.get(key),
      update: async (key: string, value: unknown) =>
        void (value === undefined ? stored.delete(key) : stored.set(key, value)),
    } as unknown as Memento;
    notices = new WatchNotices(state, () => target);
  });

  const client = {
    async listMonitorChecks() {
      calls++;
      return { data: checks };
    },
    async getMonitorCheck() {
      const judgment = judged === undefined ? undefined : { meaningful: judged };
      return { data: { pages: [{ judgment }], next: null } };
    },
  } as unknown as Client;
  const monitor = (more: object = {}) => ({ id: 'w', name: 'Prices', lastRunAt: at(0), ...more }) as Monitor;
  const check = (minute: number, more: object = {}) => {
    const base = {
      id: `c${minute}`,
      monitorId: 'w',
      status: 'completed',
      createdAt: at(minute),
      summary: summary({ changed: 1 }),
    };
    checks.unshift({ ...base, ...more } as MonitorCheck);
  };
  const read = async (...monitors: Monitor[]) => {
    const { news, told } = await notices.read(client, monitors);
    await told();
    return news.map(({ watchId, check: { id } }) => `${watchId} ${id}`);
  };

  it('tell each change once, and not what was there at first', async () => {
    await notices.set('w', true, Date.parse(at(0)));
    check(0, { summary: summary({ new: 1 }) });
    assert.deepEqual(await read(monitor()), []);
    check(10);
    assert.deepEqual(await read(monitor({ lastRunAt: at(10) })), ['w c10']);
    assert.deepEqual(await read(monitor({ lastRunAt: at(10) })), []);
  });

  it('tell the change of an earlier check too, if a later one found nothing', async () => {
    await notices.set('w', true, Date.parse(at(0)));
    check(10);
    check(20, { summary: summary({ same: 1 }) });
    assert.deepEqual(await read(monitor({ lastRunAt: at(20) })), ['w c10']);
  });

  it('wait for the end of a check', async () => {
    await notices.set('w', true, Date.parse(at(0)));
    check(10);
    assert.deepEqual(await read(monitor({ lastRunAt: at(10), currentCheckId: 'c10' })), []);
    assert.deepEqual(await read(monitor({ lastRunAt: at(10) })), ['w c10']);
  });

  it('leave out what the language model says has no meaning', async () => {
    await notices.set('w', true, Date.parse(at(0)));
    judged = false;
    check(10);
    assert.deepEqual(await read(monitor({ lastRunAt: at(10), goal: 'The price' })), []);
    judged = true;
    check(20);
    assert.deepEqual(await read(monitor({ lastRunAt: at(20), goal: 'The price' })), ['w c20']);
  });

  it('read nothing for watches without them, or without a new check', async () => {
    check(10);
    assert.deepEqual(await read(monitor({ lastRunAt: at(10) })), []);
    await notices.set('w', true, Date.parse(at(10)));
    assert.deepEqual(await read(monitor({ lastRunAt: at(10) })), []);
    assert.equal(calls, 0);
  });

  it('belong to a server, and are forgotten with their watch', async () => {
    await notices.set('w', true, 0);
    target = { kind: 'server', baseUrl: 'https://s.test', origin: 'https://s.test', host: 's.test' };
    assert.deepEqual([notices.any, notices.has('w')], [false, false]);
    assert.deepEqual(await read(), []);
    target = { kind: 'embedded' };
    assert.equal(notices.has('w'), true);
    await read();
    assert.deepEqual([...stored], [], 'nothing is left');
  });
});
