import * as l10n from '@vscode/l10n';
import type { LoginSite } from '../../contract/sessions/logins.ts';
import type { CreateSessionBody } from '../../contract/sessions/sessions.ts';
import { dateOnly } from '../ui/text/dates.ts';
import { ago, count, label } from '../ui/text/text.ts';
import { isActive, type SessionInfo } from './sessions-store.ts';

/** The options of a new session, times in seconds. The server chooses those that are absent. */
export type SessionOptions = Partial<CreateSessionBody>;

/** Returns the options of a session, to create another like it. */
export function optionsOfSession(session: SessionInfo): SessionOptions {
  const { ttl, activityTtl, streamWebView } = session.details ?? {};
  const { profile, saveChanges = true, renewed } = session;
  return {
    // A renewed session has no times of its own: the window sets them again.
    ...(ttl && !renewed && { ttl }),
    ...(activityTtl && !renewed && { activityTtl }),
    ...(profile !== undefined && { profile: { name: profile, saveChanges } }),
    ...(streamWebView === false && { streamWebView: false }),
  };
}

const unitSeconds = { s: 1, m: 60, h: 3600 };

/** Parses a typed time into seconds: `90`, `90 s`, `5 min`, `1 hour`, `1:30`; undefined if it isn't a time. */
export function typedSeconds(text: string): number | undefined {
  const colon = /^\s*(\d{1,4}):(\d\d)\s*$/.exec(text);
  if (colon) return Number(colon[1]) * 60 + Number(colon[2]);
  const match = /^\s*(\d{1,9})\s*(s|sec|seconds?|m|min|minutes?|h|hours?)?\s*$/i.exec(text);
  if (!match) return undefined;
  const unit = (match[2] ?? 's').charAt(0).toLowerCase() as keyof typeof unitSeconds;
  return Number(match[1]) * unitSeconds[unit];
}

/** Formats seconds in words: `90 seconds`, `10 minutes`, `1 hour`. */
export function secondsInWords(seconds: number): string {
  if (seconds > 0 && seconds % 3600 === 0) return count(seconds / 3600, 'hour');
  if (seconds > 0 && seconds % 60 === 0) return count(seconds / 60, 'minute');
  return count(seconds, 'second');
}

/** A profile in the list of choices. */
export interface KnownProfile {
  name: string;
  description: string;
  /** For which sites it keeps a login, and until when. */
  logins?: string;
  /** Whether the server keeps it. */
  saved?: boolean;
}

/** Returns the profiles to choose from, each once: the server's saved ones, then those of sessions and the settings. */
export function knownProfiles(found: {
  saved: readonly { name: string; savedAt: string; inUse: boolean; sites?: readonly LoginSite[] | undefined }[];
  sessions: readonly SessionInfo[];
  setting: string;
  now: number;
}): KnownProfile[] {
  const profiles = new Map<string, Omit<KnownProfile, 'name'>>();
  const add = (name: string, description: string, more: Partial<KnownProfile> = {}) => {
    if (!profiles.has(name)) profiles.set(name, { description, ...more });
  };
  const writing = new Set(
    found.sessions
      .filter((session) => isActive(session) && session.saveChanges !== false)
      .map(({ profile }) => profile),
  );
  for (const { name, savedAt, inUse, sites = [] } of found.saved) {
    const at = Date.parse(savedAt);
    const saved = Number.isNaN(at) ? l10n.t('saved') : l10n.t('saved {0}', ago(found.now - at));
    const description = inUse || writing.has(name) ? l10n.t('{0} · a session saves to it', saved) : saved;
    const logins = loginsText(sites, found.now);
    add(name, description, { saved: true, ...(logins !== undefined && { logins }) });
  }
  for (const { profile } of found.sessions) {
    if (profile !== undefined)
      add(profile, writing.has(profile) ? l10n.t('a session saves to it') : l10n.t('used by a session'));
  }
  if (found.setting) add(found.setting, l10n.t('from the settings'));
  return [...profiles].map(([name, profile]) => ({ name, ...profile }));
}

/** How many sites a row names. */
const namedSites = 3;

/** Names the sites whose login is kept at `now`, and when the first and the last of its cookies expire. */
function loginsText(sites: readonly LoginSite[], now: number): string | undefined {
  const kept = sites.filter(({ lastExpiry }) => !lastExpiry || Date.parse(lastExpiry) > now);
  if (kept.length === 0) return undefined;
  const names = kept.slice(0, namedSites).map(({ site, firstExpiry, lastExpiry }) => {
    const days = new Set([firstExpiry, lastExpiry].flatMap((at) => (at ? [dateOnly(Date.parse(at))] : [])));
    return days.size > 0 ? l10n.t('{0} until {1}', label(site, 60), [...days].join(' – ')) : label(site, 60);
  });
  const list = names.join(', ');
  return l10n.t(
    'Logins: {0}',
    kept.length > names.length ? l10n.t('{0} and {1} more', list, kept.length - names.length) : list,
  );
}
