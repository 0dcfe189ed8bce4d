import type { SessionInfo } from './session-info.ts';

const hidden = '(hidden: whoever has it sees or controls the browser)';
const secretName = /url$|secret|token|password|cookie|api_?key/i;
/** Fields that are told as they are: the address of the page is what the person sees in the browser. */
const openFields = new Set(['page']);

/**
 * A session as a JSON document: every field that the server lists, and how it ended where only this window knows.
 * URLs that give control of its browser are shown as their origin alone.
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
  return Object.fromEntries(entries.map(([name, value]) => [name, openFields.has(name) ? value : shown(name, value)]));
}

function shown(name: string, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => shown(name, item));
  if (typeof value === 'object' && value !== null) return withoutSecrets(value as Record<string, unknown>);
  if (typeof value !== 'string' || value === '') return value;
  if (!secretName.test(name) && !/^wss?:/i.test(value)) return value;
  return URL.canParse(value) && new URL(value).host ? `${originOf(value)}/… ${hidden}` : hidden;
}

function originOf(url: string): string {
  const { protocol, host } = new URL(url);
  return `${protocol}//${host}`;
}
