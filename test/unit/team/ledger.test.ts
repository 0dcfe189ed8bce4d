import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { silentLog } from '../../../src/service/platform/log.ts';
import { type Database, openDatabase } from '../../../src/service/platform/storage/storage.ts';
import { createLedger, monthsBetween } from '../../../src/service/platform/team/ledger.ts';
import { transaction } from '../../../src/storage/storage.ts';
import { createFakeClock, type FakeClock } from '../../harness/fake-clock.ts';
import { temporaryFolder } from '../../harness/folders.ts';

const red = { team: 'red', keyLabel: 'red' };
const second = { team: 'red', keyLabel: 'red 2' };

describe('the ledger', () => {
  let folder: string;
  let database: Database;
  let clock: FakeClock;
  beforeEach(async () => {
    folder = temporaryFolder();
    clock = createFakeClock(Date.UTC(2024, 1, 29, 23, 59, 59, 999));
    database = await openDatabase(folder, silentLog, 0);
  });
  afterEach(async () => {
    await database.destroy();
    rmSync(folder, { recursive: true });
  });

  it('counts by UTC months, including empty ones, and by key on request (CLK-02)', async () => {
    const ledger = createLedger(database, clock, undefined);
    await ledger.charge(red, 'scrape', 1);
    await ledger.charge(second, 'browser', 20);
    clock.setWall(Date.UTC(2024, 3, 1));
    await ledger.charge(red, 'crawl', 2);
    await ledger.charge({ team: 'blue', keyLabel: 'blue' }, 'crawl', 50);
    const tokens = (await ledger.periods('red', false)).map(
      ({ startDate, endDate, totalTokens, tokensUsed, apiKey }) => {
        assert.equal(totalTokens, tokensUsed);
        assert.equal(apiKey, undefined);
        return [startDate, endDate, totalTokens];
      },
    );
    assert.deepEqual(tokens, [
      ['2024-02-01T00:00:00.000Z', '2024-03-01T00:00:00.000Z', 315],
      ['2024-03-01T00:00:00.000Z', '2024-04-01T00:00:00.000Z', 0],
      ['2024-04-01T00:00:00.000Z', '2024-05-01T00:00:00.000Z', 30],
    ]);
    const byKey = (await ledger.periods('red', true)).map(({ startDate, apiKey, totalTokens }) => [
      startDate?.slice(0, 7),
      apiKey,
      totalTokens,
    ]);
    assert.deepEqual(byKey, [
      ['2024-02', 'red', 15],
      ['2024-02', 'red 2', 300],
      ['2024-04', 'red', 30],
    ]);
  });

  it('has the current month even if nothing was used', async () => {
    const periods = await createLedger(database, clock, undefined).periods('red', false);
    assert.deepEqual(
      periods.map(({ startDate, totalTokens }) => [startDate, totalTokens]),
      [['2024-02-01T00:00:00.000Z', 0]],
    );
    assert.deepEqual(await createLedger(database, clock, undefined).periods('red', true), []);
  });

  it('limits spending per month, and starts over in the next', async () => {
    const ledger = createLedger(database, clock, 10);
    await ledger.charge(red, 'scrape', 7);
    assert.equal(await ledger.remaining('red'), 3);
    await ledger.require('red', 3);
    await assert.rejects(ledger.require('red', 4), { status: 402, message: /needs 4, and 3 are left/ });
    await ledger.charge(red, 'scrape', 5);
    assert.equal(await ledger.remaining('red'), 0);
    assert.equal(await ledger.remaining('blue'), 10);
    clock.advance(1);
    assert.deepEqual(await ledger.balance('red'), {
      remainingCredits: 10,
      planCredits: 10,
      billingPeriodStart: '2024-03-01T00:00:00.000Z',
      billingPeriodEnd: '2024-04-01T00:00:00.000Z',
    });
  });

  it('is unlimited without a limit, and accepts only whole credits', async () => {
    const ledger = createLedger(database, clock, undefined);
    await ledger.require('red', 1e9);
    assert.equal(await ledger.remaining('red'), undefined);
    assert.ok((await ledger.balance('red')).remainingCredits > 1e6);
    await ledger.charge(red, 'scrape', 7);
    const { planCredits, remainingCredits } = await ledger.balance('red');
    assert.equal(planCredits - remainingCredits, 7);
    for (const wrong of [0.5, -1, Number.NaN]) await assert.rejects(ledger.charge(red, 'scrape', wrong));
  });

  it('rolls a charge back with its transaction', async () => {
    const ledger = createLedger(database, clock, 10);
    await assert.rejects(
      transaction(database, async (tx) => {
        await ledger.charge(red, 'scrape', 1, tx);
        throw new Error('midway');
      }),
      /midway/,
    );
    assert.equal(await ledger.remaining('red'), 10);
  });

  it('survives a clock that is set back (CLK-01)', async () => {
    const ledger = createLedger(database, clock, undefined);
    await ledger.charge(red, 'scrape', 1);
    clock.setWall(Date.UTC(1970, 0, 2));
    await ledger.charge(red, 'scrape', 1);
    assert.equal(
      (await ledger.periods('red', false)).reduce((sum, { totalTokens }) => sum + (totalTokens ?? 0), 0),
      30,
    );
    assert.deepEqual(monthsBetween('2024-02', '2023-12'), ['2023-12']);
  });
});
