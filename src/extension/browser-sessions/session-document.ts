import * as l10n from '@vscode/l10n';
import type { SessionInfo } from './sessions-store.ts';

const hidden = l10n.t('(hidden: anyone who has it can view or control the browser)');
const secretName = /url$|secret|token|password|cookie|api_?key/i;
/** Fields that aren't redacted: the user sees the page's URL in the browser anyway. */
const unredactedFields = new Set(['page']);

/**
 * Returns a session as a JSON document: every field that the server lists, and how it ended if only this window knows.
 * URLs that give control of its browser are reduced to their origin.
 */
export function sessionDocument(session: SessionInfo): string {
  const { id, status, createdAt, expiresAt, endedAt, endReason, pageUrl, pageTitle } = session;
  const date = (ms: number | undefined) => (ms === undefined ? undefined : new Date(ms).toISOString());
  const known = {
    createdAt: date(createdAt),
    expiresAt: date(expiresAt),
    endedAt: date(endedAt),
    endReason,
    page: pageUrl === undefined ? undefined : { url: pageUrl, title: pageTitle },
  };
  const { success: _, status: __, ...listed }: Record<string, unknown> = session.details ?? {};
  return JSON.stringify({ id, status, ...known, ...withoutSecrets(listed) }, undefined, 2);
}

function withoutSecrets(fields: Record<string, unknown>): Record<string, unknown> {
  const entries = Object.entries(fields).filter(([, value]) => value !== undefined && value !== null);
  return Object.fromEntries(
    entries.map(([name, value]) => [name, unredactedFields.has(name) ? value : redacted(name, value)]),
  );
}

function redacted(name: string, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => redacted(name, item));
  if (typeof value === 'object' && value !== null) return withoutSecrets(value as Record<string, unknown>);
  if (typeof value !== 'string' || value === '') return value;
  if (!secretName.test(name) && !/^wss?:/i.test(value)) return value;
  const url = URL.parse(value);
  return url?.host ? `${url.protocol}//${url.host}/… ${hidden}` : hidden;
}
