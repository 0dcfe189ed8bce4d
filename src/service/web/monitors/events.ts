import type { WebhookConfig } from '../../../contract/webhooks/webhooks.ts';
import type { JobEvent } from '../../platform/job-events.ts';
import type { CheckRow, MonitorRow } from './monitor-table.ts';

/** Returns an event for the webhook of a monitor. */
export function eventOf(
  monitor: MonitorRow,
  check: CheckRow,
  kind: 'page' | 'check.completed',
  success: boolean,
  data: Record<string, unknown>,
): JobEvent {
  const config = monitor.webhook === null ? undefined : (JSON.parse(monitor.webhook) as WebhookConfig);
  // What sends them compares the part after the first dot.
  const events = config?.events?.map((event) => event.replace(/^monitor\./, ''));
  const webhook = config && { ...config, events };
  const { team } = monitor;
  return {
    ...{ team, jobId: check.id, type: `monitor.${kind}`, success, webhook },
    data: [{ monitorId: monitor.id, checkId: check.id, ...data }],
  };
}
