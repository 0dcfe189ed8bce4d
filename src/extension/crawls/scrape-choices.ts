import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { Client } from '../../client/client.ts';
import { limits } from '../../contract/limits.ts';
import type { Connection } from '../connection/connection.ts';
import { UserError } from '../ui/commands.ts';
import { askText, tooLong } from '../ui/dialogs.ts';
import { commands } from '../ui/ids.ts';
import { hostOf, label } from '../ui/text/text.ts';

const extraFormats = ['html', 'links', 'screenshot'] as const;
type ExtraFormat = (typeof extraFormats)[number];

/** Whose login pages are read with: that of the session that is current then, or the one in a profile. */
type Login = 'session' | { profile: string };

interface Choices {
  login?: Login;
  /** Milliseconds. */
  waitFor?: number;
  /** Whether pages are read without running their scripts. */
  noScripts?: boolean;
  formats?: ExtraFormat[];
}

/** Fields of a scrape; those of a map are the same without formats. */
type ScrapeFields = Pick<
  Parameters<Client['scrape']>[0]['body'],
  'profile' | 'headers' | 'waitFor' | 'timeout' | 'fastMode' | 'formats'
>;

interface Parts {
  connection: Pick<Connection, 'access'>;
  /** The session that the window uses. */
  session(): { id: string; title: string } | undefined;
  /** Keeps the options of the workspace. */
  state: vscode.Memento;
}

const stateKey = 'scrapeOptions';

/** The options of "Scrape URL…" and "Map Site…", which the workspace keeps. */
export class ScrapeChoices {
  #parts: Parts;
  #chosen: Choices;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#chosen = parts.state.get<Choices>(stateKey) ?? {};
  }

  /** The options as fields of a map, or of a scrape. Reads the cookies of the current session if its login is to be used. */
  async fields(what: 'map' | 'scrape', url: string, client: Client, signal: AbortSignal): Promise<ScrapeFields> {
    const { formats, waitFor, noScripts, login } = this.#chosen;
    const cookie = login === 'session' ? await this.#sessionCookie(url, client, signal) : undefined;
    return {
      // Sessions that are open may save to it.
      ...(typeof login === 'object' && { profile: { name: login.profile, saveChanges: false } }),
      ...(cookie && { headers: { cookie } }),
      ...(noScripts && { fastMode: true }),
      ...(waitFor && { waitFor }),
      // The wait may take at most half of the time for the whole scrape.
      ...(waitFor && what === 'scrape' && { timeout: Math.max(limits.scrapeTimeout.default, 2 * waitFor + 10_000) }),
      ...(formats && what === 'scrape' && { formats: ['markdown', ...formats] }),
    };
  }

  /** What was chosen, in a few words; undefined if nothing was. */
  summary(what: 'map' | 'scrape'): string | undefined {
    const { login, waitFor, noScripts, formats } = this.#chosen;
    const words = [
      login && (login === 'session' ? l10n.t('login of the session') : l10n.t('profile {0}', label(login.profile, 40))),
      waitFor && l10n.t('waits {0} s', waitFor / 1000),
      noScripts && l10n.t('without scripts'),
      what === 'scrape' && formats?.join(', '),
    ].filter(Boolean);
    return words.length > 0 ? words.join(' · ') : undefined;
  }

  /** Asks what to change, until the list is closed. */
  async ask(what: 'map' | 'scrape'): Promise<void> {
    for (;;) {
      const { waitFor, noScripts, formats } = this.#chosen;
      const rows = [
        {
          label: l10n.t('$(account) Login'),
          description: this.#loginText(),
          detail: l10n.t('Read pages with the login of the current session or of a profile.'),
          change: () => this.#askLogin(),
        },
        {
          label: l10n.t('$(watch) Wait'),
          description: l10n.t('{0} s', (waitFor ?? 0) / 1000),
          detail: l10n.t('Seconds to wait before a page is read.'),
          change: () => this.#askWait(),
        },
        {
          label: l10n.t('$(code) Scripts'),
          description: noScripts ? l10n.t('not run') : l10n.t('run where pages need them'),
          detail: l10n.t('Without its scripts, a page is read faster, but lacks what they add.'),
          change: async () => this.#change({ noScripts: noScripts ? undefined : true }),
        },
        {
          label: l10n.t('$(list-selection) Formats'),
          description: formats?.join(', ') ?? l10n.t('none'),
          detail: l10n.t('What to get besides Markdown.'),
          change: () => this.#askFormats(),
        },
      ].slice(0, what === 'map' ? -1 : undefined);
      const reset = {
        label: l10n.t('$(discard) Reset'),
        change: async () => {
          this.#chosen = {};
          await this.#parts.state.update(stateKey, undefined);
        },
      };
      const picked = await vscode.window.showQuickPick(this.summary(what) === undefined ? rows : [...rows, reset], {
        title: what === 'map' ? l10n.t('Map Options') : l10n.t('Scrape Options'),
        placeHolder: l10n.t('For all scrapes and maps in this workspace. Press Escape to continue.'),
      });
      if (!picked) return;
      await picked.change();
    }
  }

  async #change(changes: { [Name in keyof Choices]: Choices[Name] | undefined }): Promise<void> {
    const all = Object.entries({ ...this.#chosen, ...changes });
    this.#chosen = Object.fromEntries(all.filter(([, value]) => value !== undefined));
    await this.#parts.state.update(stateKey, this.#chosen);
  }

  #loginText(): string {
    const { login } = this.#chosen;
    if (login === undefined) return l10n.t('none');
    return login === 'session' ? l10n.t('current session') : l10n.t('profile {0}', label(login.profile, 40));
  }

  /** Returns the cookies that the current session would send to a site. */
  async #sessionCookie(url: string, client: Client, signal: AbortSignal): Promise<string | undefined> {
    const session = this.#parts.session();
    if (!session) {
      throw new UserError(l10n.t('The options use the login of the current session, but no session is active.'), [
        { title: l10n.t('New Browser Session'), command: commands.newBrowserSession },
      ]);
    }
    const code = `(await page.context().cookies(${JSON.stringify(url)})).map(({ name, value }) => name + '=' + value).join('; ')`;
    const { result, error } = await client.executeInBrowserSession(
      { params: { sessionId: session.id }, body: { code, language: 'node' } },
      { signal },
    );
    if (error) throw new UserError(l10n.t("Couldn't read the login of the current session: {0}", label(error, 200)));
    if (result) return result;
    const site = label(hostOf(url) ?? url, 60);
    void vscode.window.showWarningMessage(
      l10n.t('Web Data: Session {0} has no cookies for {1}. Pages are read without a login.', session.title, site),
    );
    return undefined;
  }

  async #askLogin(): Promise<void> {
    const { embedded } = await this.#parts.connection.access();
    const saved = embedded ? (await embedded.listProfiles({})).profiles.map(({ name }) => name) : [];
    const session = this.#parts.session();
    const items: (vscode.QuickPickItem & { login: Login | 'none' | 'other' })[] = [
      { label: l10n.t('$(circle-slash) No Login'), login: 'none' },
      {
        label: l10n.t('$(browser) Current Session'),
        description: session?.title ?? l10n.t('no session is active'),
        detail: l10n.t('Uses its cookies, not its local storage.'),
        login: 'session',
      },
      ...saved.map((name) => ({ label: `$(account) ${label(name, 128)}`, login: { profile: name } })),
      { label: l10n.t('$(edit) Enter a Profile Name…'), login: 'other' },
    ];
    const picked = await vscode.window.showQuickPick(items, { title: l10n.t('Login') });
    if (!picked) return;
    if (picked.login === 'none') return await this.#change({ login: undefined });
    if (picked.login !== 'other') return await this.#change({ login: picked.login });
    const name = await askText({ title: l10n.t('Profile') }, (typed) => tooLong(typed, limits.profileName.max));
    if (name !== undefined) await this.#change({ login: name === '' ? undefined : { profile: name } });
  }

  async #askWait(): Promise<void> {
    const most = limits.scrapeWait.max / 1000;
    const value = String((this.#chosen.waitFor ?? 0) / 1000);
    const text = await askText({ title: l10n.t('Seconds to wait before a page is read'), value }, (typed) =>
      /^\d+(?:\.\d+)?$/.test(typed) && Number(typed) <= most
        ? undefined
        : l10n.t('Enter a number from 0 to {0}.', most),
    );
    if (text !== undefined) await this.#change({ waitFor: Math.round(Number(text) * 1000) || undefined });
  }

  async #askFormats(): Promise<void> {
    const formats = extraFormats.map((name) => ({
      label: name,
      picked: this.#chosen.formats?.includes(name) ?? false,
    }));
    const picked = await vscode.window.showQuickPick(formats, {
      title: l10n.t('Formats besides Markdown'),
      canPickMany: true,
    });
    if (picked) await this.#change({ formats: picked.length > 0 ? picked.map((item) => item.label) : undefined });
  }
}
