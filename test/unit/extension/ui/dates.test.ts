import assert from 'node:assert/strict';
import { dateAndTime, setDateLocale, timeOfDay } from '../../../../src/extension/ui/text/dates.ts';

describe('times and dates', () => {
  const ms = new Date(2026, 2, 12, 9, 5, 7).getTime();
  afterEach(() => setDateLocale('en-GB'));

  it("use the window's locale, with the same format everywhere", () => {
    assert.deepEqual([timeOfDay(ms), timeOfDay(ms, true)], ['09:05', '09:05:07']);
    assert.match(dateAndTime(ms), /12 Mar 2026/);
    setDateLocale('de');
    assert.match(dateAndTime(ms), /12\. März 2026/);
  });

  it("keep their format for a locale that doesn't exist", () => {
    setDateLocale('not a locale');
    assert.match(dateAndTime(ms), /12 Mar 2026/);
  });
});
