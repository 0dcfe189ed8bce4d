import assert from 'node:assert/strict';
import { cronFields, cronOfWords } from '../../../src/contract/schedule-words.ts';

describe('a schedule that is typed', () => {
  it('is a cron expression if it looks like one', () => {
    for (const text of ['0 9 * * 1-5', '*/15 * * * *', '0 0 1,15 jan *', '30 8 * * mon-fri'])
      assert.equal(cronFields(text), text);
    assert.equal(cronFields('  0  9 * * 1 '), '0 9 * * 1');
    for (const text of ['every 30 minutes', 'every monday at 9 am', '0 9 * *', 'as often as you like', ''])
      assert.equal(cronFields(text), undefined, text);
  });

  it('is a sentence otherwise, and nothing if it is not understood', () => {
    assert.equal(cronOfWords('Every 30 minutes'), '*/30 * * * *');
    assert.equal(cronOfWords('weekdays at 8:30'), '30 8 * * 1-5');
    for (const text of ['every now and then', '', '* * * * *', 'daily at 25:00'])
      assert.equal(cronOfWords(text), undefined, text);
  });
});
