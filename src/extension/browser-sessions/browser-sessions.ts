import * as vscode from 'vscode';
import type { Connection } from '../connection/connection.ts';
import { failureKind, failureStatus, isSessionGone, retryAfterMs } from '../connection/failures.ts';
import { RefreshPolicy } from '../connection/polling/refresh-policy.ts';
import { targetName } from '../connection/target.ts';
import { UserError } from '../ui/commands.ts';
import { commands, settings, settingsSection, views } from '../ui/ids.ts';
import { Disposables } from '../ui/lifecycle.ts';
import { readSetting } from '../ui/settings.ts';
import { messageOf } from '../ui/text.ts';
import type { Session } from './session.ts';
import {
  type KnownProfile,
  knownProfiles,
  optionsOfSession,
  optionsOfSettings,
  type SessionOptions,
} from './session-options.ts';
import { endedSentence } from './session-texts.ts';
import { type SessionsState, SessionsStore } from './sessions-store.ts';

/** How long a session that has ended may take to save its profile, in milliseconds, and how often to look. */
const profileSavedWithinMs = 10_000;
const askAgainMs = 250;
const currentSlot = 'webdata.currentSession';

/** What this window does with browser sessions: reads the list, creates, replaces and destroys. */
export class BrowserSessions implements vscode.Disposable {
  readonly store: SessionsStore;
  readonly policy: RefreshPolicy;
  #connection: Connection;
  #log: vscode.LogOutputChannel;
  /** The session that takes the place of one that is ended for it. */
  #renewing: Promise<Session> | undefined;
  /** Creations that go on, by what they ask for. */
  #creating = new Map<string, Promise<Session>>();
  /** The session that this window used before it was reloaded, until it is known whether it still lives. */
  #remembered: string | undefined;
  /** There is no Chrome: what the last creation said stands until another one or another target. */
  #noBrowser: SessionsState | undefined;
  #disposables = new Disposables();

  constructor(connection: Connection, log: vscode.LogOutputChannel, memento: vscode.Memento) {
    this.#connection = connection;
    this.#log = log;
    this.store = new SessionsStore();
    this.#remember(memento);
    this.store.setState(this.#emptyState());
    this.policy = this.#disposables.add(
      new RefreshPolicy({
        refresh: () => this.#refresh(),
        after: (ms, callback) => {
          const timer = setTimeout(callback, ms);
          return () => clearTimeout(timer);
        },
        now: Date.now,
        isNotified: () => connection.target.kind === 'embedded',
        limit: connection.rateLimit,
      }),
    );
    let target = connection.target;
    this.#disposables.add(
      connection.onDidChange.on(() => {
        const sameServer = connection.target === target && connection.serviceRuns;
        target = connection.target;
        if (!sameServer) {
          this.#noBrowser = undefined;
          this.store.clear(this.#emptyState());
        }
        this.policy.request('target');
      }),
    );
    this.#disposables.add(connection.onSessionsChanged.on(() => this.policy.request('changed')));
    this.#disposables.add(
      vscode.workspace.onDidGrantWorkspaceTrust(() => {
        this.store.clear(this.#emptyState());
        this.policy.request('trust');
      }),
    );
  }

  /** The session that runs of this window go to: the current one, else a new one, like the one before where that ended by itself. */
  async ensure(): Promise<Session> {
    if (!this.store.current && this.#remembered !== undefined) await this.#refresh();
    if (this.store.current) return this.store.current;
    // Between an old session and the one in its place there is none: a run waits for it.
    if (this.#renewing) return await this.#renewing;
    const ended = this.store.endedCurrent;
    return await (ended ? this.#createLike(ended) : this.create());
  }

  /** A session in place of one that has ended, with its options; runs that find it ended together get the same. */
  async replace(endedId: string): Promise<Session> {
    const ended = this.store.find(endedId);
    this.store.markEnded(endedId, 'ended');
    const current = this.store.current;
    if (current && current.id !== endedId) return current;
    return await (ended ? this.#createLike(ended) : this.create());
  }

  /** A session like one that is about to end. One that saves to a profile is ended first: a profile has one saver at a time. */
  async renew(session: Session): Promise<Session> {
    const options = optionsOfSession(session);
    const renewing = (async () => {
      if (options.profile?.saveChanges) await this.destroy(session);
      return await this.create(options);
    })();
    this.#renewing = renewing;
    try {
      return await renewing;
    } finally {
      if (this.#renewing === renewing) this.#renewing = undefined;
    }
  }

  /** The options that the settings name. */
  get defaults(): SessionOptions {
    return optionsOfSettings({
      ttl: readSetting('sessionTtl'),
      activityTtl: readSetting('sessionActivityTtl'),
      profile: readSetting('sessionProfile'),
      saveChanges: readSetting('sessionSaveChanges'),
      liveView: readSetting('sessionLiveView'),
    });
  }

  /** The profiles to choose from: the saved ones where the target lists them, and those of the sessions that are known. */
  async profiles(): Promise<KnownProfile[]> {
    const saved = await this.#savedProfiles().catch((error: unknown) => {
      this.#log.warn(`Profiles: ${messageOf(error)}`);
      return [];
    });
    const setting = readSetting('sessionProfile');
    return knownProfiles({ saved, sessions: this.store.sessions, setting, now: Date.now() });
  }

  /** Creates a session and makes it the current one. Callers that ask for the same at the same time share it. Until a moment it waits for a profile that is in use. */
  async create(options: SessionOptions = this.defaults, until = 0): Promise<Session> {
    const key = JSON.stringify(options);
    const creating = this.#creating.get(key) ?? this.#create(options, until).finally(() => this.#creating.delete(key));
    this.#creating.set(key, creating);
    return await creating;
  }

  /** Destroys a session. One that is gone already counts as destroyed. */
  async destroy(session: Session): Promise<void> {
    const { client } = await this.#connection.access();
    try {
      const answer = await client.deleteBrowserSession({ params: { sessionId: session.id } });
      const told = endedSentence(session.shortId, answer);
      this.#log.info(told);
      vscode.window.setStatusBarMessage(`$(check) ${told}`, 5000);
    } catch (error) {
      if (!isSessionGone(error)) throw error;
    }
    if (this.store.current?.id === session.id) this.store.use(undefined);
    this.store.markEnded(session.id, 'destroyed');
    this.policy.request('destroyed');
  }

  /** Code has run in a session: its page may be another one. The embedded service tells of that by itself. */
  ranIn(sessionId: string): void {
    this.store.touch(sessionId);
    if (this.#connection.target.kind === 'server') this.policy.request('changed');
  }

  dispose(): void {
    this.#disposables.dispose();
  }

  /** Keeps which session is the current one over a reload of the window. */
  #remember(memento: vscode.Memento): void {
    const stored = memento.get<unknown>(currentSlot);
    this.#remembered = typeof stored === 'string' ? stored : undefined;
    let kept = this.#remembered;
    this.#disposables.add(
      this.store.onChange.on(() => {
        const id = this.store.current?.id;
        if (id === undefined || id === kept) return;
        kept = id;
        this.#remembered = undefined;
        void memento.update(currentSlot, id);
      }),
    );
  }

  #useRemembered(): void {
    const session = this.#remembered === undefined ? undefined : this.store.find(this.#remembered);
    this.#remembered = undefined;
    if (session?.status === 'active' && !this.store.current) this.store.use(session.id);
  }

  async #savedProfiles() {
    const { embedded } = await this.#connection.access();
    return embedded ? (await embedded.listProfiles({})).profiles : [];
  }

  /** A session like one that has just ended; its profile may still be being saved. */
  async #createLike(ended: Session): Promise<Session> {
    return await this.create(optionsOfSession(ended), Date.now() + profileSavedWithinMs);
  }

  /** Asks again until a moment while another session saves to the profile (409). */
  async #whenProfileIsFree<Answer>(until: number, ask: () => Promise<Answer>): Promise<Answer> {
    for (;;) {
      try {
        return await ask();
      } catch (error) {
        if (failureStatus(error) !== 409 || Date.now() >= until) throw error;
        await new Promise((resolve) => setTimeout(resolve, askAgainMs));
      }
    }
  }

  async #create(options: SessionOptions, until: number): Promise<Session> {
    return await vscode.window.withProgress({ location: { viewId: views.browserSessions } }, async () => {
      const { client } = await this.#connection.access();
      try {
        const created = await this.#whenProfileIsFree(until, () => client.createBrowserSession({ body: options }));
        this.#log.info(`Session ${created.id.slice(0, 8)} was created on ${targetName(this.#connection.target)}.`);
        this.#noBrowser = undefined;
        const session = this.store.addCreated(created, options);
        this.policy.request('created');
        return session;
      } catch (error) {
        this.#noteFailure(error);
        if (this.store.state.kind === 'no-browser') this.#noBrowser = this.store.state;
        throw withActions(error, this.#connection);
      }
    });
  }

  async #refresh(): Promise<void> {
    if (!vscode.workspace.isTrusted) return this.store.setState({ kind: 'restricted' });
    try {
      const access = await this.#connection.existingAccess();
      if (!access) return this.store.clear(this.#emptyState());
      if (this.store.updatedAt === undefined && !this.#noBrowser) this.store.setState({ kind: 'loading' });
      const { sessions } = await access.client.listBrowserSessions({}, { retries: 0 });
      if (access.target !== this.#connection.target) return;
      this.policy.succeeded();
      this.store.setList(sessions);
      this.#useRemembered();
      // The list says nothing about Chrome.
      if (this.#noBrowser && this.store.active.length === 0) this.store.setState(this.#noBrowser);
    } catch (error) {
      this.policy.failed(retryAfterMs(error));
      if (failureStatus(error) === 429) this.#connection.rateLimit.hit(retryAfterMs(error));
      this.#log.warn(`Browser sessions: ${messageOf(error)}`);
      this.#noteFailure(error, this.#connection.rateLimit.until);
    }
  }

  #noteFailure(error: unknown, limitedUntil = 0): void {
    const state = stateOf(error, limitedUntil);
    if (state) this.store.setState(state);
  }

  #emptyState(): SessionsState {
    if (!vscode.workspace.isTrusted) return { kind: 'restricted' };
    return this.#connection.target.kind === 'embedded' ? { kind: 'not-started' } : { kind: 'loading' };
  }
}

/** What a failure means for the view; undefined when it says nothing about the server as a whole. */
function stateOf(error: unknown, limitedUntil: number): SessionsState | undefined {
  const message = messageOf(error);
  const status = failureStatus(error);
  const kind = failureKind(error);
  if (status === 401 || status === 403 || kind === 'invalid-key' || error instanceof UserError) {
    return { kind: 'signed-out', message };
  }
  if (status === 503) return { kind: 'no-browser', message };
  if (status === 429) return { kind: 'limited', message, until: limitedUntil };
  if (status === 400 || status === 402 || status === 409) return undefined;
  if (kind === 'invalid-request' || kind === 'cancelled') return undefined;
  return { kind: 'unreachable', message };
}

/** The failure with what to do about it as buttons. */
function withActions(error: unknown, connection: Connection): unknown {
  const embedded = connection.target.kind === 'embedded';
  const status = failureStatus(error);
  if (status === 503 && embedded) {
    return new UserError(messageOf(error), [
      {
        title: 'Set the Path of Chrome',
        command: 'workbench.action.openSettings',
        args: [`${settingsSection}.${settings.chromePath}`],
      },
      { title: 'Show Service Log', command: commands.showServiceLog },
    ]);
  }
  if (status === 409 || status === 402 || status === 400) {
    return new UserError(messageOf(error), [
      { title: 'New Browser Session with Options…', command: commands.newBrowserSessionWithOptions },
    ]);
  }
  if (status === 401 && !embedded) {
    return new UserError(messageOf(error), [{ title: 'Connect to Server…', command: commands.connectToServer }]);
  }
  return error;
}
