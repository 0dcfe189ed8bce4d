import assert from 'node:assert/strict';
import type { ServerState } from '../../../src/extension/connection/polling/server-store.ts';
import { csvOf } from '../../../src/extension/ui/text/csv.ts';
import { monthsOf } from '../../../src/extension/usage/usage-store.ts';
import { shownUsage, usageRows } from '../../../src/extension/usage/usage-texts.ts';

const now = Date.UTC(2026, 1, 10);
const ready: ServerState = { kind: 'ready' };
const period = (month: string, tokens: number, apiKey?: string) => ({
  startDate: `${month}-01T00:00:00.000Z`,
  endDate: null,
  apiKey,
  totalTokens: tokens,
});
const shown = (periods: Parameters<typeof monthsOf>[0], byApiKey = false, state: ServerState = ready) =>
  shownUsage(
    { months: monthsOf(periods, now), byApiKey, tokensPerCredit: 15, state, updatedAt: now },
    { embedded: true, now },
  );

describe('token usage', () => {
  it('is shown month by month, in tokens and credits', () => {
    const usage = shown([period('2026-02', 300), { startDate: '2026-01-01', tokensUsed: 1500 }]);
    assert.deepEqual(
      usage.months.map(({ name, spoken, tokens, credits, share }) => ({ name, spoken, tokens, credits, share })),
      [
        { name: 'Jan 2026', spoken: 'January 2026', tokens: '1,500', credits: '100', share: 1 },
        { name: 'Feb 2026', spoken: 'February 2026', tokens: '300', credits: '20', share: 0.2 },
      ],
    );
    assert.deepEqual([usage.highest, usage.legend, usage.notice], ['1,500', [], undefined]);
  });

  it('says that credits cost nothing on the own machine only', () => {
    const usage = { months: [], byApiKey: false, tokensPerCredit: 15, state: ready, updatedAt: now };
    assert.match(shownUsage(usage, { embedded: true, now }).footnote ?? '', /cost nothing/);
    assert.equal(shownUsage(usage, { embedded: false, now }).footnote, undefined);
  });

  it('is shown by API key, the largest first', () => {
    const usage = shown(
      [period('2026-01', 100, 'ci'), period('2026-01', 300, 'laptop'), period('2026-02', 50, 'ci')],
      true,
    );
    assert.deepEqual(usage.legend, ['laptop', 'ci']);
    assert.deepEqual(
      usage.months[0]?.keys.map(({ name, tokens, share, color }) => ({ name, tokens, share, color })),
      [
        { name: 'laptop', tokens: '300', share: 0.75, color: 0 },
        { name: 'ci', tokens: '100', share: 0.25, color: 1 },
      ],
    );
  });

  it('adds up keys beyond the colors, and shows at most two years', () => {
    const keys = Array.from({ length: 1_000 }, (_, index) => period('2026-01', index, `key ${index}`));
    const months = monthsOf(keys, now);
    assert.equal(months[0]?.keys.length, 8);
    assert.ok(months[0]?.keys.some(({ name }) => name === 'other keys'));
    const many = Array.from({ length: 300 }, (_, index) =>
      period(`20${String(index % 26).padStart(2, '0')}-0${1 + (index % 9)}`, 1),
    );
    assert.equal(monthsOf(many, now).length, 24);
  });

  it('ignores impossible figures (EXT-14)', () => {
    const usage = shown([
      { startDate: '2026-01-01', totalTokens: 2 ** 60 },
      { startDate: '2026-02-01', totalTokens: -5 },
      { startDate: '0000-99-99', totalTokens: Number.POSITIVE_INFINITY },
      { startDate: null, totalTokens: null },
      {},
    ]);
    assert.deepEqual(
      usage.months.map(({ name, tokens, share }) => [name, tokens, share]),
      [
        ['Jan 2026', '1,152,921,504,606,847,000', 1],
        ['Feb 2026', '—', 0],
        ['—', '—', 0],
      ],
    );
    for (const { share } of usage.months) assert.ok(share >= 0 && share <= 1);
  });

  it('shows names of keys as labels (EXT-14)', () => {
    const hostile = `</script><script>\n$(trash)\u202e${'x'.repeat(100_000)}`;
    const [name = ''] = shown([period('2026-01', 1, hostile), period('2026-01', 2, 'other')], true).legend.slice(1);
    assert.ok([...name].length <= 60);
    assert.doesNotMatch(name, /[\n\u202e]|\$\(/);
  });

  it('says why nothing can be shown, with one button', () => {
    const states: [ServerState, RegExp, string][] = [
      [{ kind: 'restricted' }, /Restricted Mode/, 'trust'],
      [{ kind: 'not-started' }, /appears here/, 'scrape'],
      [{ kind: 'ready' }, /No usage yet/, 'scrape'],
      [{ kind: 'signed-out', message: 'x' }, /API key/, 'connect'],
      [{ kind: 'unreachable', message: 'It hung up.' }, /It hung up/, 'read'],
      [{ kind: 'not-offered', message: 'x' }, /doesn't report usage/, 'connect'],
      [{ kind: 'limited', message: 'x', until: now + 60_000 }, /Retrying at \d\d:\d\d:\d\d/, 'read'],
    ];
    for (const [state, words, action] of states) {
      const { notice } = shown([], false, state);
      assert.match(notice?.text ?? '', words);
      assert.equal(notice?.action?.name, action);
    }
    // A month without usage isn't drawn.
    const none = shown([period('2026-02', 0)]);
    assert.deepEqual([none.months, none.notice?.action?.name], [[], 'scrape']);
    assert.match(
      shown([period('2026-01', 1)], false, { kind: 'unreachable', message: 'Gone.' }).notice?.text ?? '',
      /Gone\. Updated just now/,
    );
  });
});

describe('usage as CSV', () => {
  const csv = (periods: Parameters<typeof monthsOf>[0], byApiKey: boolean) =>
    csvOf(usageRows({ months: monthsOf(periods, now), byApiKey, tokensPerCredit: 15 }));

  it('has a line for each month, or for each key of each month', () => {
    assert.equal(
      csv([period('2026-01', 100), period('2026-02', 30)], false),
      'month,tokens,credits\r\n2026-01,100,6.67\r\n2026-02,30,2\r\n',
    );
    assert.equal(
      csv([period('2026-01', 90, 'laptop, old'), period('2026-01', 30, 'say "hi"')], true),
      'month,api_key,tokens,credits\r\n2026-01,"laptop, old",90,6\r\n2026-01,"say ""hi""",30,2\r\n',
    );
  });

  it('contains nothing that a spreadsheet runs as a formula', () => {
    const text = csv(
      [period('2026-01', 1, '=HYPERLINK("x")'), period('2026-01', 2, '@sum'), period('2026-01', 3, '+1')],
      true,
    );
    assert.doesNotMatch(text, /(?:^|,|")[=@+]/m);
  });
});
