import assert from 'node:assert/strict';
import {
  checkTexts,
  foundText,
  pageTexts,
  scheduleText,
  watchTexts,
} from '../../../../src/extension/watches/watch-texts.ts';
import type { Watch } from '../../../../src/extension/watches/watches-store.ts';

const now = Date.UTC(2026, 2, 2, 12);
const summary = (more: object = {}) => ({ totalPages: 3, same: 3, changed: 0, new: 0, removed: 0, error: 0, ...more });
const watch = (more: Partial<Watch> = {}): Watch => ({
  id: 'w',
  name: 'Prices',
  paused: false,
  checking: false,
  cron: '0 9 * * *',
  timezone: 'UTC',
  nextRunAt: now + 60_000,
  lastRunAt: now - 5 * 60_000,
  summary: summary(),
  goal: undefined,
  targets: [{ type: 'scrape', urls: ['https://a.test/prices'] }],
  webhookUrl: undefined,
  ...more,
});

describe('a schedule', () => {
  it('is shown in words if it is a usual one, and as cron otherwise', () => {
    const texts = {
      '* * * * *': 'every minute',
      '*/30 * * * *': 'every 30 minutes',
      '0 * * * *': 'every hour',
      '0 */6 * * *': 'every 6 hours',
      '5 9 * * *': 'every day at 9:05',
      '30 8 * * 1-5': 'weekdays at 8:30',
      '0 9 * * 1': 'every Monday at 9:00',
      '0 9 * * 0': 'every Sunday at 9:00',
      '0 0 1 * *': 'on the first of each month at 0:00',
      '0 9 2 * *': '0 9 2 * *',
      '0 9 * 1 *': '0 9 * 1 *',
      '0,30 9-17 * * 1-5': '0,30 9-17 * * 1-5',
    };
    for (const [cron, text] of Object.entries(texts)) assert.equal(scheduleText(cron), text);
  });
});

describe('the row of a watch', () => {
  const description = (more: Partial<Watch>) => watchTexts(watch(more), false, now).description;

  it('says what the last check found, and when it looked', () => {
    assert.equal(description({}), 'nothing changed · 5 min ago');
    assert.equal(description({ summary: summary({ changed: 2, error: 1 }) }), '2 changed, 1 failed · 5 min ago');
    assert.equal(description({ summary: summary({ error: 3 }) }), "couldn't be read · 5 min ago");
    assert.equal(description({ summary: undefined, lastRunAt: undefined }), 'not checked yet');
    assert.equal(description({ checking: true }), 'checking…');
    assert.equal(description({ paused: true }), 'paused · nothing changed · 5 min ago');
  });

  it('says in its tooltip what it reads, when, and who is told', () => {
    const { tooltip } = watchTexts(watch({ goal: 'The price', webhookUrl: 'https://b.test/hook' }), true, now);
    for (const part of ['https://a.test/prices', 'What matters: The price', 'every day at 9:00', 'b.test/hook'])
      assert.ok(tooltip.includes(part), tooltip);
    assert.match(tooltip, /Notifications: in VS Code, to the webhook/);
    assert.match(watchTexts(watch(), false, now).tooltip, /Notifications: none/);
  });
});

describe('the rows below a watch', () => {
  it('say what a check found, and what is said of a page', () => {
    const check = { id: 'c', monitorId: 'w', status: 'partial', trigger: 'manual', billingStatus: 'confirmed' };
    const created = { createdAt: new Date(now).toISOString(), updatedAt: new Date(now).toISOString() };
    const texts = checkTexts({ ...check, ...created, summary: summary({ changed: 1, error: 1 }) }, now);
    assert.equal(texts.description, '1 changed, 1 failed · 3 pages');
    assert.equal(
      checkTexts({ ...check, ...created, status: 'running', summary: summary() }, now).description,
      'checking… · 3 pages',
    );
    assert.equal(foundText(summary({ totalPages: 0 })), 'no pages');
    const judgment = { meaningful: false, confidence: 'high', reason: 'Only the date', meaningfulChanges: [] };
    const page = { id: 'p', targetId: 't', url: 'https://a.test/x', status: 'changed', createdAt: created.createdAt };
    assert.equal(pageTexts(page).description, 'changed');
    assert.deepEqual([pageTexts(page).label, pageTexts(page, 'a.test').label], ['a.test/x', '/x']);
    assert.equal(pageTexts({ ...page, judgment }).description, "changed · doesn't matter");
    assert.match(pageTexts({ ...page, judgment }).tooltip, /Only the date/);
    assert.equal(pageTexts({ ...page, status: 'error', error: 'Timed out' }).description, 'failed · Timed out');
  });
});
