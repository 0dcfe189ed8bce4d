import { dateAndTime } from '../ui/dates.ts';
import { duration, label, shortId } from '../ui/text.ts';
import type { DeliverySummary, ForwardingSummary } from './receiver/deliveries.ts';
import type { ReceiverState, SecretUse, WebhooksStore } from './webhooks-store.ts';

export interface RowTexts {
  label: string;
  description: string;
  spoken: string;
  tooltip: string;
}

/** Returns the texts of a delivery's row: type, page, job, time, verification and the handler's last response. */
export function deliveryTexts(delivery: DeliverySummary, now: number): RowTexts {
  const kind = label(delivery.type, 40);
  const [last] = delivery.forwardings;
  const parts = [
    delivery.success ? undefined : 'failed',
    delivery.pageUrl && pathOf(delivery.pageUrl),
    delivery.jobId && `job ${shortId(delivery.jobId)}`,
    timeOf(delivery.receivedAt, now),
    delivery.verification,
    delivery.conflicts > 0 && 'received again with a different body',
    last && `→ ${outcome(last)}`,
  ].filter(Boolean);
  const lines = [
    `${label(delivery.type, 100)}, ${dateAndTime(delivery.receivedAt)}`,
    `Job ${label(delivery.jobId, 100) || 'unknown'}`,
    `Delivery ${delivery.webhookId}, ${size(delivery.size)}`,
    verificationTexts[delivery.verification],
    delivery.pageUrl && `Page ${label(delivery.pageUrl, 200)}`,
    delivery.error && `Error: ${label(delivery.error, 300)}`,
    delivery.repeats > 0 &&
      `Received ${delivery.repeats} more ${delivery.repeats === 1 ? 'time' : 'times'}; stored once`,
    delivery.conflicts > 0 &&
      `Received ${delivery.conflicts} more ${delivery.conflicts === 1 ? 'time' : 'times'} with a different body; the first was kept`,
  ].filter(Boolean);
  const description = parts.join(' · ');
  return { label: kind, description, spoken: `${kind}, ${parts.join(', ')}`, tooltip: lines.join('\n') };
}

const verificationTexts = {
  verified: 'Verified: signed with the webhook secret',
  'verified by the old secret': 'Verified by the old secret',
  unverified: 'Not verified: no webhook secret was set',
} as const;

/** Returns the texts of a handler response's row. */
export function forwardingTexts(forwarding: ForwardingSummary, now: number): RowTexts {
  const head = outcome(forwarding);
  const parts = [
    duration(forwarding.ms),
    forwarding.edited && 'edited',
    timeOf(forwarding.at, now),
    label(forwarding.url, 80),
  ];
  const description = parts.filter(Boolean).join(' · ');
  return {
    label: head,
    description,
    spoken: `Handler: ${head}, ${description}`,
    tooltip: `${label(forwarding.url, 300)}\n${head} after ${duration(forwarding.ms)}${forwarding.edited ? ', with an edited body' : ''}`,
  };
}

function outcome({ status, error }: ForwardingSummary): string {
  return error === undefined ? String(status) : label(error, 60);
}

/** Describes whether deliveries are verified. */
export function secretText(use: SecretUse): string {
  if (use === 'none') return 'not set: deliveries are not verified';
  return use === 'one'
    ? 'set: deliveries are verified'
    : 'changed: the old secret is still accepted until you remove it';
}

/** Returns the texts of the receiver's row. */
export function receiverTexts(state: ReceiverState): { label: string; description: string } {
  switch (state.kind) {
    case 'listening':
      return { label: 'Receiver', description: `listening on port ${state.port}` };
    case 'starting':
      return { label: 'Receiver', description: 'starting' };
    case 'failed':
      return { label: 'Receiver', description: 'failed to start' };
    case 'stopped':
      return { label: 'Receiver', description: 'stopped' };
  }
}

/** Returns the message above the rows; undefined if there is none. */
export function viewMessage(store: Pick<WebhooksStore, 'state' | 'deliveries' | 'jobId'>): string | undefined {
  if (store.state.kind === 'failed') return label(store.state.message, 300);
  if (store.state.kind !== 'listening' || store.deliveries.length > 0) return undefined;
  if (store.jobId !== undefined) return 'No deliveries for this job.';
  return 'No deliveries yet. Use this URL as the webhook of a crawl.';
}

/** Describes the refused requests: how many, and why the last one was refused. */
export function refusedText({
  count,
  error,
  host,
  status,
}: {
  count: number;
  error: string;
  host: string;
  status: number;
}): string {
  const times = count === 1 ? '1 request refused' : `${count} requests refused`;
  const from = status === 403 && host ? ` (${label(host, 60)})` : '';
  return `${times}: ${label(error, 100)}${from}`;
}

/** Returns a time such as `10:02:11`, preceded by the date unless it is today. */
export function timeOf(ms: number, now: number): string {
  const date = new Date(ms);
  const two = (value: number) => String(value).padStart(2, '0');
  const time = `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
  if (date.toDateString() === new Date(now).toDateString()) return time;
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())} ${time}`;
}

function pathOf(url: string): string {
  if (!URL.canParse(url)) return label(url, 40);
  const { pathname, search } = new URL(url);
  return label(pathname + search, 40);
}

/** Formats a number of bytes: `820 B`, `1.2 MB`. */
export function size(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  if (bytes < 999_500) return `${(bytes / 1000).toFixed(bytes < 10_000 ? 1 : 0)} kB`;
  return `${(bytes / 1_000_000).toFixed(1)} MB`;
}
