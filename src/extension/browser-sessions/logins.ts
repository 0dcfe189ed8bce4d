import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { LoginSite } from '../../contract/sessions/logins.ts';
import type { Connection, FeatureParts } from '../connection/connection.ts';
import { inBackground } from '../ui/commands.ts';
import { askFile, say } from '../ui/dialogs.ts';
import { views } from '../ui/ids.ts';
import { writePrivately } from '../ui/new-file.ts';
import { dateOnly } from '../ui/text/dates.ts';
import { count, label } from '../ui/text/text.ts';
import { safeFileName } from '../ui/virtual-documents/file-names.ts';
import type { BrowserSessions } from './browser-sessions.ts';
import { askProfile, type ProfileAction } from './new-session/pick-items.ts';
import type { SessionInfo } from './sessions-store.ts';

interface Parts {
  sessions: Pick<BrowserSessions, 'profiles'>;
  connection: Pick<Connection, 'embedded'>;
}

interface LogInParts extends Parts, Pick<FeatureParts, 'log'> {
  sessions: Pick<BrowserSessions, 'profiles' | 'create'>;
  liveViews: { open(sessionId: string, control?: boolean): Promise<void> };
}

/** Adds the login in a file of the user's choice, for the sites of their choice, to a profile. */
export async function importLogin({ sessions, connection }: Parts): Promise<void> {
  const title = l10n.t('Import Login');
  const { embedded } = await connection.embedded(l10n.t("This server can't import logins."), true);
  const [uri] =
    (await vscode.window.showOpenDialog({
      title,
      filters: { [l10n.t('Logins (storageState, cookies)')]: ['json', 'txt'], [l10n.t('All files')]: ['*'] },
    })) ?? [];
  if (!uri) return;
  const content = new TextDecoder().decode(await vscode.workspace.fs.readFile(uri));
  const { sites: found } = await embedded.readLogin({ body: { content } });
  const sites = await askSites(title, found);
  if (!sites) return;
  const name = await askProfile({ title: l10n.t('{0}: profile', title), known: sessions.profiles(), canGoBack: false });
  if (typeof name !== 'string') return;
  // Without `sites`, storage of origins that have no cookies is imported, too.
  const body = { name, content, ...(sites.length < found.length && { sites }) };
  const imported = await withProgress(() => embedded.importLogin({ body }));
  sayStored(
    l10n.t('Login imported into profile {0}: {1}.', label(name, 40), count(imported.cookies, 'cookie')),
    imported,
  );
}

/** Adds the login of an open session to a profile of the user's choice. */
export async function saveLogin({ sessions, connection }: Parts, session: SessionInfo): Promise<void> {
  const { embedded } = await connection.embedded(l10n.t("This server can't save the login of a session."));
  const title = l10n.t('Save Login as Profile');
  const name = await askProfile({ title, known: sessions.profiles(), canGoBack: false });
  if (typeof name !== 'string') return;
  const saved = await withProgress(() => embedded.saveLogin({ params: { sessionId: session.id }, body: { name } }));
  sayStored(l10n.t('Login saved to profile {0}: {1}.', label(name, 40), count(saved.cookies, 'cookie')), saved);
}

/** The buttons of profiles: to log in by hand, and to take a login out. */
export function profileActions(parts: LogInParts): ProfileAction[] {
  const action = (icon: string, tooltip: string, saved: boolean, run: (name: string) => Promise<void>) => ({
    button: { iconPath: new vscode.ThemeIcon(icon), tooltip },
    saved,
    run: (name: string) => inBackground(tooltip, run(name), parts.log),
  });
  return [
    action('sign-in', l10n.t('Log In…'), false, (name) => logIn(parts, name)),
    action('export', l10n.t('Export as storageState…'), true, (name) => exportLogin(parts, name)),
  ];
}

/** Opens a session that saves to a profile, with its live view in control. */
async function logIn({ sessions, liveViews }: LogInParts, name: string): Promise<void> {
  const session = await sessions.create({ profile: { name, saveChanges: true } });
  await liveViews.open(session.id, true);
}

async function exportLogin({ connection }: Parts, name: string): Promise<void> {
  const { embedded } = await connection.embedded(l10n.t("This server can't export logins."));
  const file = `${safeFileName(name, 'login')}.json`;
  const uri = await askFile(l10n.t('Export Login'), file, { JSON: ['json'] });
  if (!uri) return;
  const { state } = await withProgress(() => embedded.exportLogin({ body: { name } }));
  await writePrivately(uri, new TextEncoder().encode(`${JSON.stringify(state, undefined, 2)}\n`));
  say(l10n.t('$(check) Login exported. Anyone who has the file can use it.'));
}

/** Asks which sites of a file to take. A file whose login is all in localStorage has none to choose from. */
async function askSites(title: string, found: readonly LoginSite[]): Promise<string[] | undefined> {
  if (found.length === 0) return [];
  const items = found.map(({ site, cookies, lastExpiry }) => {
    const until = lastExpiry && l10n.t('until {0}', dateOnly(Date.parse(lastExpiry)));
    const description = [count(cookies, 'cookie'), until].filter(Boolean).join(' · ');
    return { label: label(site, 80), description, picked: true, site };
  });
  const picked = await vscode.window.showQuickPick(items, {
    title,
    placeHolder: l10n.t('Select the sites to import the login for'),
    canPickMany: true,
    ignoreFocusOut: true,
  });
  return picked && picked.length > 0 ? picked.map(({ site }) => site) : undefined;
}

function withProgress<Result>(task: () => Promise<Result>): Thenable<Result> {
  return vscode.window.withProgress({ location: { viewId: views.browserSessions } }, task);
}

/** Says what was saved, and warns of cookies that Chrome rejected. */
function sayStored(message: string, { rejected }: { rejected: number }): void {
  if (rejected === 0) return say(`$(check) ${message}`);
  void vscode.window.showWarningMessage(`${message} ${l10n.t('Chrome rejected {0}.', count(rejected, 'cookie'))}`);
}
