import * as l10n from '@vscode/l10n';
import { ago, count } from '../ui/text/text.ts';
import { isActive, type SessionInfo } from './session-info.ts';

/** The options of a new session. The server chooses those that are absent. */
export interface SessionOptions {
  /** Seconds. */
  ttl?: number;
  /** Seconds. */
  activityTtl?: number;
  profile?: { name: string; saveChanges: boolean };
  streamWebView?: boolean;
}

/** Returns the session options from the settings. */
export function optionsOfSettings(settings: {
  ttl: number | null;
  activityTtl: number | null;
  profile: string;
  saveChanges: boolean;
  liveView: boolean;
}): SessionOptions {
  return {
    ...(settings.ttl !== null && { ttl: settings.ttl }),
    ...(settings.activityTtl !== null && { activityTtl: settings.activityTtl }),
    ...(settings.profile && { profile: { name: settings.profile, saveChanges: settings.saveChanges } }),
    ...(!settings.liveView && { streamWebView: false }),
  };
}

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
}

/** Returns the profiles to choose from, each once: the server's saved ones, then those of sessions and the settings. */
export function knownProfiles(found: {
  saved: readonly { name: string; savedAt: string; inUse: boolean }[];
  sessions: readonly SessionInfo[];
  setting: string;
  now: number;
}): KnownProfile[] {
  const profiles = new Map<string, string>();
  const add = (name: string, description: string) => {
    if (!profiles.has(name)) profiles.set(name, description);
  };
  const writing = new Set(
    found.sessions
      .filter((session) => isActive(session) && session.saveChanges !== false)
      .map(({ profile }) => profile),
  );
  for (const { name, savedAt, inUse } of found.saved) {
    const at = Date.parse(savedAt);
    const saved = Number.isNaN(at) ? l10n.t('saved') : l10n.t('saved {0}', ago(found.now - at));
    add(name, inUse || writing.has(name) ? l10n.t('{0} · a session saves to it', saved) : saved);
  }
  for (const { profile } of found.sessions) {
    if (profile !== undefined)
      add(profile, writing.has(profile) ? l10n.t('a session saves to it') : l10n.t('used by a session'));
  }
  if (found.setting) add(found.setting, l10n.t('from the settings'));
  return [...profiles].map(([name, description]) => ({ name, description }));
}
