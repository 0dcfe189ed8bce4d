import * as l10n from '@vscode/l10n';
import type { ShownMonth, Usage } from '../../webviews/usage/messages.ts';
import { limitedText, staleMessage } from '../connection/polling/server-store.ts';
import { label } from '../ui/text/text.ts';
import { keyNames, type UsageStore } from './usage-store.ts';

type UsageData = Pick<UsageStore, 'months' | 'byApiKey' | 'tokensPerCredit' | 'state' | 'updatedAt'>;

/** Returns what the view shows. */
export function shownUsage(usage: UsageData, context: { embedded: boolean; now: number }): Usage {
  const { byApiKey, tokensPerCredit, state } = usage;
  const months = usedMonths(usage);
  const highest = Math.max(0, ...months.map(({ tokens }) => tokens ?? 0));
  const legend = byApiKey ? keyNames(months) : [];
  const share = (tokens: number | undefined) => (highest > 0 ? (tokens ?? 0) / highest : 0);
  const notice = noticeFor(usage, context);
  return {
    months: months.map(
      (month): ShownMonth => ({
        ...monthNames(month.month),
        ...amounts(month.tokens, tokensPerCredit),
        share: share(month.tokens),
        keys: (byApiKey ? month.keys : []).map(({ name, tokens }) => ({
          name,
          ...amounts(tokens, tokensPerCredit),
          share: share(tokens),
          color: legend.indexOf(name),
        })),
      }),
    ),
    byApiKey,
    legend,
    highest: rounded(highest, 0),
    loading: state.kind === 'loading',
    ...(notice && { notice }),
    ...(context.embedded && { footnote: l10n.t('On your own machine, credits are only counted: they cost nothing.') }),
  };
}

/** Returns the months, or none if all of them are known to have no usage. */
function usedMonths({ months }: UsageData): UsageData['months'] {
  return months.every(({ tokens }) => tokens === 0) ? [] : months;
}

/** Returns the usage as the rows of a CSV file: a row per month, or per API key of each month. */
export function usageRows({ months, byApiKey, tokensPerCredit }: Omit<UsageData, 'state' | 'updatedAt'>): unknown[][] {
  const rounded = (value: number | undefined) => (value === undefined ? undefined : Math.round(value * 100) / 100);
  const amounts = (tokens: number | undefined) => [
    rounded(tokens),
    rounded(tokens === undefined ? undefined : tokens / tokensPerCredit),
  ];
  const rows = months.flatMap(({ month, tokens, keys }) => {
    if (!byApiKey) return [[month, ...amounts(tokens)]];
    if (keys.length === 0) return [[month, '', ...amounts(tokens)]];
    return keys.map(({ name, tokens: own }) => [month, name, ...amounts(own)]);
  });
  return [['month', ...(byApiKey ? ['api_key'] : []), 'tokens', 'credits'], ...rows];
}

function rounded(amount: number, maximumFractionDigits: number): string {
  return amount.toLocaleString('en-US', { maximumFractionDigits });
}

function amounts(tokens: number | undefined, tokensPerCredit: number): { tokens: string; credits: string } {
  if (tokens === undefined) return { tokens: '—', credits: '—' };
  return { tokens: rounded(tokens, 0), credits: rounded(tokens / tokensPerCredit, 1) };
}

function monthNames(month: string): { name: string; spoken: string } {
  if (month === 'unknown') return { name: '—', spoken: l10n.t('unknown month') };
  const date = new Date(`${month}-01T00:00:00Z`);
  const named = (length: 'short' | 'long') =>
    date.toLocaleDateString('en', { month: length, year: 'numeric', timeZone: 'UTC' });
  return { name: named('short'), spoken: named('long') };
}

function noticeFor(usage: UsageData, { embedded, now }: { embedded: boolean; now: number }): Usage['notice'] {
  const { state, updatedAt } = usage;
  const months = usedMonths(usage);
  const shown = (text: string, name: 'read' | 'connect' | 'scrape' | 'trust', title: string) => ({
    text,
    action: { name, title },
  });
  if (months.length > 0) {
    const text = staleMessage(state, { rows: months.length, updatedAt, now });
    return text === undefined ? undefined : shown(text, 'read', l10n.t('Try Again'));
  }
  switch (state.kind) {
    case 'restricted':
      return shown(l10n.t('Nothing runs in Restricted Mode.'), 'trust', l10n.t('Manage Workspace Trust'));
    case 'not-started':
      return shown(l10n.t('Your token usage appears here.'), 'scrape', l10n.t('Scrape URL…'));
    case 'ready':
      return shown(l10n.t('No usage yet.'), 'scrape', l10n.t('Scrape URL…'));
    case 'signed-out':
      return shown(l10n.t('This server needs a valid API key.'), 'connect', l10n.t('Connect to Server…'));
    case 'not-offered':
      return shown(l10n.t("This server doesn't report usage."), 'connect', l10n.t('Connect to Server…'));
    case 'limited':
      return shown(limitedText(state, now), 'read', l10n.t('Try Now'));
    case 'unreachable': {
      const what = embedded ? l10n.t("The embedded service isn't responding.") : l10n.t("Can't reach the server.");
      return shown(`${what} ${label(state.message, 200)}`, 'read', l10n.t('Try Again'));
    }
    default:
      return undefined;
  }
}
