import assert from 'node:assert/strict';
import { nextRun, scheduleOf } from '../../../src/service/web/monitors/schedule.ts';

describe('the schedule of a monitor', () => {
  for (const [text, cron] of [
    ['hourly', '0 * * * *'],
    ['every 30 minutes', '*/30 * * * *'],
    ['Every hour', '0 * * * *'],
    ['every 6 hours', '0 */6 * * *'],
    ['daily', '0 0 * * *'],
    ['daily at 9:00', '0 9 * * *'],
    ['every day at 12:15 am', '15 0 * * *'],
    ['weekdays at 8:30', '30 8 * * 1-5'],
    ['every monday at 9pm', '0 21 * * 1'],
    ['weekly', '0 0 * * 1'],
    ['monthly', '0 0 1 * *'],
  ] as const) {
    it(`is understood as "${text}"`, () => {
      assert.equal(scheduleOf({ text, timezone: 'UTC' }).cron, cron);
    });
  }

  for (const text of ['sometimes', 'every 7 minutes', 'daily at 25:00', 'every 0 hours', '']) {
    it(`is refused as "${text}", with what would be understood`, () => {
      assert.throws(() => scheduleOf({ text, timezone: 'UTC' }), /every 30 minutes/);
    });
  }

  for (const schedule of [
    { cron: '61 * * * *', timezone: 'UTC' },
    { cron: '* * * * * *', timezone: 'UTC' },
    { cron: '0 0 31 2 *', timezone: 'UTC' },
    { cron: '0 0 * * *', timezone: 'Nowhere/Atlantis' },
  ]) {
    it(`is refused as ${schedule.cron} in ${schedule.timezone}`, () => {
      assert.throws(() => scheduleOf(schedule), /The schedule isn't valid/);
    });
  }

  it('follows the time zone, also when its clocks change', () => {
    const daily = { cron: '0 9 * * *', timezone: 'Europe/Berlin' };
    const dueAfter = (date: string) => new Date(nextRun(daily, Date.parse(date)) ?? 0).toISOString();
    assert.equal(dueAfter('2026-03-28T12:00:00Z'), '2026-03-29T07:00:00.000Z');
    assert.equal(dueAfter('2026-03-27T12:00:00Z'), '2026-03-28T08:00:00.000Z');
  });
});
