import * as l10n from '@vscode/l10n';
import { timeOfDay } from './text/dates.ts';
import { hostOf, label } from './text/text.ts';

/** How the session that runs use is marked, everywhere: by an icon, and by a word for those who don't see it. */
export const currentMark = {
  /** Codicon, where icons are drawn. */
  icon: 'circle-filled',
  otherIcon: 'circle-outline',
  /** Character, where only text is shown, such as the title of a tab. */
  character: '●',
  word: l10n.t('current'),
} as const;

/** What is known of a session's page. The texts come from servers and pages. */
export interface NamedSession {
  pageTitle: string | undefined;
  pageUrl: string | undefined;
  profile: string | undefined;
  /** Milliseconds since 1970. */
  createdAt: number | undefined;
}

/** Returns the name of a session: the title or host of its page, else its profile, else the time it was created. */
export function sessionName({ pageTitle, pageUrl, profile, createdAt }: NamedSession): string {
  const host = hostOf(pageUrl);
  // A browser shows the URL of a page that has no title, in whole or in part.
  const title = pageUrl?.includes(pageTitle ?? '') ? '' : label(pageTitle ?? '', 60);
  const named = title || (host && label(host, 60)) || (profile && label(profile, 60));
  return named || (createdAt === undefined ? l10n.t('Untitled') : l10n.t('Untitled {0}', timeOfDay(createdAt)));
}
