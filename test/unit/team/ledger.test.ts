import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { silentLog } from '../../../src/service/log.ts';
import { openDatabase, transaction } from '../../../src/service/storage/storage.ts';
import { createLedger, monthsBetween } from '../../../src/service/team/ledger.ts';
import { createFakeClock, type FakeClock } from '../../harness/fake-clock.ts';
import { temporaryFolder } from '../../harness/folders.ts';

const red = { team: 'red', keyLabel: 'red' };
const second = { team: 'red', keyLabel: 'red 2' };

describe('the ledger', () => {
  let folder: string;
  let database: DatabaseSync;
  let clock: FakeClock;
  beforeEach(() => {
    folder = temporaryFolder();
    clock = createFakeClock(Date.UTC(2024, 1, 29, 23, 59, 59, 999));
    database = openDatabase(folder, silentLog, 0);
  });
  afterEach(() => {
    database.close();
    rmSync(folder, { recursive: true });
  });

  it('counts by UTC months, including empty ones, and by key on request', () => {
    const ledger = createLedger(database, clock, undefined);
    ledger.charge(red, 'scrape', 1);
    ledger.charge(second, 'browser', 20);
    clock.setWall(Date.UTC(2024, 3, 1));
    ledger.charge(red, 'crawl', 2);
    ledger.charge({ team: 'blue', keyLabel: 'blue' }, 'crawl', 50);
    const tokens = ledger.periods('red', false).map(({ startDate, endDate, totalTokens, tokensUsed, apiKey }) => {
      assert.equal(totalTokens, tokensUsed);
      assert.equal(apiKey, undefined);
      return [startDate, endDate, totalTokens];
    });
    assert.deepEqual(tokens, [
      ['2024-02-01T00:00:00.000Z', '2024-03-01T00:00:00.000Z', 315],
      ['2024-03-01T00:00:00.000Z', '2024-04-01T00:00:00.000Z', 0],
      ['2024-04-01T00:00:00.000Z', '2024-05-01T00:00:00.000Z', 30],
    ]);
    const byKey = ledger
      .periods('red', true)
      .map(({ startDate, apiKey, totalTokens }) => [startDate?.slice(0, 7), apiKey, totalTokens]);
    assert.deepEqual(byKey, [
      ['2024-02', 'red', 15],
      ['2024-02', 'red 2', 300],
      ['2024-04', 'red', 30],
    ]);
  });

  it('has the current month even if nothing was used', () => {
    const periods = createLedger(database, clock, undefined).periods('red', false);
    assert.deepEqual(
      periods.map(({ startDate, totalTokens }) => [startDate, totalTokens]),
      [['2024-02-01T00:00:00.000Z', 0]],
    );
    assert.deepEqual(createLedger(database, clock, undefined).periods('red', true), []);
  });

  it('limits spending per month, and starts over in the next', () => {
    const ledger = createLedger(database, clock, 10);
    ledger.charge(red, 'scrape', 7);
    assert.equal(ledger.remaining('red'), 3);
    ledger.require('red', 3);
    assert.throws(() => ledger.require('red', 4), { status: 402, message: /needs 4, and 3 are left/ });
    ledger.charge(red, 'scrape', 5);
    assert.equal(ledger.remaining('red'), 0);
    assert.equal(ledger.remaining('blue'), 10);
    clock.advance(1);
    assert.deepEqual(ledger.balance('red'), {
      remainingCredits: 10,
      planCredits: 10,
      billingPeriodStart: '2024-03-01T00:00:00.000Z',
      billingPeriodEnd: '2024-04-01T00:00:00.000Z',
    });
  });

  it('is unlimited without a limit, and accepts only whole credits', () => {
    const ledger = createLedger(database, clock, undefined);
    ledger.require('red', 1e9);
    assert.equal(ledger.remaining('red'), undefined);
    assert.ok(ledger.balance('red').remainingCredits > 1e6);
    for (const wrong of [0.5, -1, Number.NaN]) assert.throws(() => ledger.charge(red, 'scrape', wrong));
  });

  it('rolls a charge back with its transaction', () => {
    const ledger = createLedger(database, clock, 10);
    assert.throws(() =>
      transaction(database, () => {
        ledger.charge(red, 'scrape', 1);
        throw new Error('midway');
      }),
    );
    assert.equal(ledger.remaining('red'), 10);
  });

  it('survives a clock that is set back', () => {
    const ledger = createLedger(database, clock, undefined);
    ledger.charge(red, 'scrape', 1);
    clock.setWall(Date.UTC(1970, 0, 2));
    ledger.charge(red, 'scrape', 1);
    assert.equal(
      ledger.periods('red', false).reduce((sum, { totalTokens }) => sum + (totalTokens ?? 0), 0),
      30,
    );
    assert.deepEqual(monthsBetween('2024-02', '2023-12'), ['2023-12']);
  });
});
