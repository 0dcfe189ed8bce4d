import * as l10n from '@vscode/l10n';
import { dateAndTime, timeOfDay } from '../ui/text/dates.ts';
import { byteSize, duration, label, pathAndQuery, type RowTexts, shortId } from '../ui/text/text.ts';
import type { DeliverySummary, ForwardingSummary, RefusedRequests } from './receiver/deliveries.ts';
import type { ReceiverState, SecretUse, WebhooksStore } from './webhooks-store.ts';

/** Returns the texts of a delivery's row: type, page, job, time, verification and the handler's last response. */
export function deliveryTexts(delivery: DeliverySummary, now: number): RowTexts {
  const kind = label(delivery.type, 40);
  const [last] = delivery.forwardings;
  const parts = [
    delivery.success ? undefined : l10n.t('failed'),
    delivery.pageUrl && label(pathAndQuery(delivery.pageUrl), 40),
    delivery.jobId && l10n.t('job {0}', shortId(delivery.jobId)),
    timeOf(delivery.receivedAt, now),
    verificationWords[delivery.verification],
    delivery.conflicts > 0 && l10n.t('received again with a different body'),
    last && `→ ${outcome(last)}`,
  ].filter(Boolean);
  const lines = [
    `${label(delivery.type, 100)}, ${dateAndTime(delivery.receivedAt)}`,
    l10n.t('Job {0}', label(delivery.jobId, 100) || l10n.t('unknown')),
    l10n.t('Delivery {0}, {1}', label(delivery.webhookId, 100), byteSize(delivery.size)),
    verificationTexts[delivery.verification],
    delivery.pageUrl && l10n.t('Page {0}', label(delivery.pageUrl, 200)),
    delivery.error && l10n.t('Error: {0}', label(delivery.error, 300)),
    delivery.repeats > 0 && repeatedText(delivery.repeats),
    delivery.conflicts > 0 && conflictText(delivery.conflicts),
  ].filter(Boolean);
  const description = parts.join(' · ');
  return { label: kind, description, spoken: `${kind}, ${parts.join(', ')}`, tooltip: lines.join('\n') };
}

function repeatedText(times: number): string {
  return times === 1
    ? l10n.t('Received once more; stored once')
    : l10n.t('Received {0} more times; stored once', times);
}

function conflictText(times: number): string {
  return times === 1
    ? l10n.t('Received once more with a different body; the first was kept')
    : l10n.t('Received {0} more times with a different body; the first was kept', times);
}

/** What the list says about a delivery. */
export const verificationWords = {
  verified: l10n.t('verified'),
  'verified by the old secret': l10n.t('verified by the old secret'),
  unverified: l10n.t('unverified'),
} as const;

const verificationTexts = {
  verified: l10n.t('Verified: signed with the webhook secret'),
  'verified by the old secret': l10n.t('Verified by the old secret'),
  unverified: l10n.t('Not verified: no webhook secret was set'),
} as const;

/** Returns the texts of a handler response's row. */
export function forwardingTexts(forwarding: ForwardingSummary, now: number): RowTexts {
  const head = outcome(forwarding);
  const parts = [
    duration(forwarding.ms),
    forwarding.edited && l10n.t('edited'),
    timeOf(forwarding.at, now),
    label(forwarding.url, 80),
  ];
  const description = parts.filter(Boolean).join(' · ');
  return {
    label: head,
    description,
    spoken: l10n.t('Handler: {0}, {1}', head, description),
    tooltip: `${label(forwarding.url, 300)}\n${forwardedText(head, duration(forwarding.ms), forwarding.edited)}`,
  };
}

function forwardedText(head: string, time: string, edited: boolean): string {
  return edited ? l10n.t('{0} after {1}, with an edited body', head, time) : l10n.t('{0} after {1}', head, time);
}

/** Why a handler gave no response, in the receiver's words. */
const problems: Readonly<Record<string, string>> = {
  'connection refused': l10n.t('connection refused'),
  'connection reset': l10n.t('connection reset'),
  'no response': l10n.t('no response'),
  'unknown host': l10n.t('unknown host'),
};

function outcome({ status, error }: ForwardingSummary): string {
  if (error === undefined) return String(status);
  return Object.hasOwn(problems, error) ? (problems[error] ?? '') : label(error, 60);
}

/** Describes whether deliveries are verified. */
export function secretText(use: SecretUse): string {
  if (use === 'none') return l10n.t("not set: deliveries aren't verified");
  return use === 'one'
    ? l10n.t('set: deliveries are verified')
    : l10n.t('changed: the old secret is still accepted until you remove it');
}

/** Returns the texts of the receiver's row. */
export function receiverTexts(state: ReceiverState): { label: string; description: string } {
  const words = { starting: l10n.t('starting'), failed: l10n.t('failed to start'), stopped: l10n.t('stopped') };
  const description = state.kind === 'listening' ? l10n.t('listening on port {0}', state.port) : words[state.kind];
  return { label: l10n.t('Receiver'), description };
}

/** Returns the message above the rows; undefined if there is none. */
export function viewMessage(shown: Pick<WebhooksStore['shown'], 'state' | 'deliveries' | 'jobId'>): string | undefined {
  if (shown.state.kind === 'failed') return label(shown.state.message, 300);
  if (shown.state.kind !== 'listening' || shown.deliveries.length > 0) return undefined;
  if (shown.jobId !== undefined) return l10n.t('No deliveries for this job.');
  return l10n.t('No deliveries yet. Use this URL as the webhook of a crawl.');
}

/** Describes the refused requests: how many, and why the last one was refused. */
export function refusedText({ count, error, host, status }: RefusedRequests): string {
  const times = count === 1 ? l10n.t('1 request refused') : l10n.t('{0} requests refused', count);
  const from = status === 403 && host ? ` (${label(host, 60)})` : '';
  return `${times}: ${label(error, 100)}${from}`;
}

/** Returns a time such as `10:02:11`, preceded by the date unless it is today. */
export function timeOf(ms: number, now: number): string {
  return new Date(ms).toDateString() === new Date(now).toDateString() ? timeOfDay(ms, true) : dateAndTime(ms);
}
