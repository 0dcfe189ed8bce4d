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

  const format = /Use minute \(0 to 59\), hour \(0 to 23\), day of the month .* such as "0 9 \* \* 1-5"\.$/;
  const never = /is never due: none of its months has such a day\. Use one that a month has/;
  for (const [cron, ...messages] of [
    ['61 * * * *', /^The schedule "61 \* \* \* \*" isn't valid: Invalid value for minute: 61\./, format],
    ['* * * * * *', /isn't valid: it has other than five fields\./, format],
    ['x * * * *', /isn't valid/, format],
    ['0 0 31 2 *', /^The schedule "0 0 31 2 \*" is never due/, never],
    ['0 0 31 4,6,9,11 *', never],
    ['59 23 30,31 feb *', never],
    ['*/1 * 31 2,4,6,9,11 *', never],
  ] as const) {
    it(`is refused as ${cron}, with what is wrong and what to use`, () => {
      for (const message of messages)
        assert.throws(() => scheduleOf({ cron, timezone: 'UTC' }), { status: 400, message });
    });
  }

  it('TRN-20: is found never to be due after 40 years, not after many centuries', () => {
    const { UTC } = Date;
    let dates = 0;
    Date.UTC = (...parts) => {
      dates++;
      return UTC(...parts);
    };
    try {
      assert.throws(() => scheduleOf({ cron: '0 0 31 4 +MON#5', timezone: 'UTC' }), { status: 400, message: never });
    } finally {
      Date.UTC = UTC;
    }
    assert.ok(dates < 20_000, `${dates} dates were tried`);
    const leapMonday = nextRun({ cron: '0 0 29 2 +1', timezone: 'UTC' }, Date.UTC(2072, 1, 29));
    assert.equal(leapMonday, Date.UTC(2112, 1, 29), 'the longest wait there is');
  });

  it('is refused in a time zone that nobody knows', () => {
    const message = 'The time zone "Nowhere/Atlantis" isn\'t known. Use the name of one, such as "Europe/Berlin".';
    assert.throws(() => scheduleOf({ cron: '0 0 * * *', timezone: 'Nowhere/Atlantis' }), { status: 400, message });
  });

  it('follows the time zone, also when its clocks change', () => {
    const daily = { cron: '0 9 * * *', timezone: 'Europe/Berlin' };
    const dueAfter = (date: string) => new Date(nextRun(daily, Date.parse(date)) ?? 0).toISOString();
    assert.equal(dueAfter('2026-03-28T12:00:00Z'), '2026-03-29T07:00:00.000Z');
    assert.equal(dueAfter('2026-03-27T12:00:00Z'), '2026-03-28T08:00:00.000Z');
  });
});
