import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { textsIn } from '../../contract/lenient-texts.ts';
import type { CreatedSession } from '../../contract/sessions/sessions.ts';
import type { Access, Connection } from '../connection/connection.ts';
import { failureStatus, isSessionGone } from '../connection/failures.ts';
import { ServerPoll } from '../connection/polling/polling.ts';
import type { RefreshPolicy } from '../connection/polling/refresh-policy.ts';
import { targetName } from '../connection/target.ts';
import { say } from '../ui/dialogs.ts';
import { views } from '../ui/ids.ts';
import { callLater, Disposables } from '../ui/lifecycle.ts';
import { onSettingChanged, readSetting } from '../ui/settings.ts';
import { messageOf } from '../ui/text/text.ts';
import { Renewal, storedSessions } from './expiry/renewal.ts';
import { failureState, withActions } from './session-failures.ts';
import { type KnownProfile, knownProfiles, optionsOfSession, type SessionOptions } from './session-options.ts';
import { endedSentence } from './session-texts.ts';
import { type SessionInfo, SessionsStore } from './sessions-store.ts';

export { registerSessionCommands } from './session-commands.ts';
export { menuSessions, showStatus } from './session-status.ts';
export { SessionsTree } from './sessions-tree.ts';

/** How long to wait for an ended session to save its profile, and how often to retry, in milliseconds. */
const profileSaveTimeoutMs = 10_000;
const retryEveryMs = 250;
/** By how long a session is extended whose ttl isn't known, in seconds. */
const extendSeconds = 600;
const currentSessionKey = 'webdata.currentSession';
const clearedSessionsKey = 'webdata.clearedSessions';
const createdSessionsKey = 'webdata.createdSessions';

/** The browser sessions of this window: lists, creates, replaces and destroys them. */
export class BrowserSessions extends Disposables {
  readonly store: SessionsStore;
  readonly policy: RefreshPolicy;
  readonly renewal: Renewal;
  #poll: ServerPoll;
  #connection: Connection;
  #log: vscode.LogOutputChannel;
  #memento: vscode.Memento;
  /** The session that `renew()` is creating. */
  #renewing: Promise<SessionInfo> | undefined;
  /** Pending creations, by their options. */
  #creating = new Map<string, Promise<SessionInfo>>();
  /** The session that this window used before it was reloaded, until the list shows whether it is still active. */
  #remembered: string | undefined;

  constructor(connection: Connection, log: vscode.LogOutputChannel, memento: vscode.Memento) {
    super();
    this.#connection = connection;
    this.#log = log;
    this.#memento = memento;
    this.store = new SessionsStore(Date.now, textsIn(memento.get<unknown>(clearedSessionsKey)));
    this.#remember();
    this.#poll = this.add(
      new ServerPoll({
        connection,
        log,
        name: 'Browser sessions',
        store: this.store,
        always: true,
        isNotified: () => connection.target.kind === 'embedded',
        read: (access) => this.#read(access),
        onFailure: (error, until) => this.#noteFailure(error, until),
      }),
    );
    this.policy = this.#poll.policy;
    this.renewal = this.add(this.#createRenewal());
    this.add(connection.onSessionsChanged.on(() => this.policy.request('changed')));
  }

  /**
   * Returns the session to run in: the current one, or a new one, which is like the last one if that ended by itself.
   * `onEnded` is called before a session that has ended is replaced.
   */
  async ensure(onEnded?: (ended: SessionInfo) => void): Promise<SessionInfo> {
    const { current } = this.store;
    const isOver = current?.expiresAt !== undefined && current.expiresAt <= Date.now();
    // The clocks of the server and this machine may differ: the list shows whether the session has ended.
    if (isOver || (!current && this.#remembered !== undefined)) await this.#poll.read('changed');
    if (this.store.current) return this.store.current;
    // While a session is being renewed there is no current one: a run waits for the new one.
    if (this.#renewing) return await this.#renewing;
    const ended = this.store.endedCurrent;
    if (ended) onEnded?.(ended);
    return await (ended ? this.#createLike(ended) : this.create());
  }

  /** Replaces a session that has ended by one with the same options. Runs that find it ended together share the new one. */
  async replace(endedId: string): Promise<SessionInfo> {
    const ended = this.store.find(endedId);
    this.store.markEnded(endedId, 'ended');
    const current = this.store.current;
    if (current && current.id !== endedId) return current;
    return await (ended ? this.#createLike(ended) : this.create());
  }

  /** Whether sessions of the server can be extended. */
  get canExtend(): boolean {
    return this.#connection.target.kind === 'embedded';
  }

  /** Extends a session by its `ttl`, from now. */
  async extend(session: SessionInfo): Promise<void> {
    const { embedded } = await this.#connection.embedded(l10n.t("This server can't extend sessions."));
    const ttl = session.details?.ttl ?? extendSeconds;
    const body = { ttl, once: true };
    const { expiresAt } = await embedded.renewSession({ params: { sessionId: session.id }, body });
    this.store.setExpiry(session.id, expiresAt);
  }

  /** Creates a session like one that is about to expire. One that saves to a profile is destroyed first: a profile has one writer at a time. */
  async renew(session: SessionInfo): Promise<SessionInfo> {
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

  /** The options from the settings. */
  get defaults(): SessionOptions {
    const name = readSetting('sessionProfile');
    return name ? { profile: { name, saveChanges: true } } : {};
  }

  /** Returns the profiles to choose from: saved ones if the target lists them, and those of known sessions and the settings. */
  async profiles(): Promise<KnownProfile[]> {
    const saved = await this.#savedProfiles().catch((error: unknown) => {
      this.#log.warn(`Could not list profiles: ${messageOf(error)}`);
      return [];
    });
    const setting = readSetting('sessionProfile');
    return knownProfiles({ saved, sessions: this.store.sessions, setting, now: Date.now() });
  }

  /**
   * Creates a session and makes it the current one. Concurrent calls with the same options share it.
   * Until `until` (milliseconds since 1970) it waits for a profile that is in use.
   */
  async create(options: SessionOptions = this.defaults, until = 0): Promise<SessionInfo> {
    const key = JSON.stringify(options);
    const creating = this.#creating.get(key) ?? this.#create(options, until).finally(() => this.#creating.delete(key));
    this.#creating.set(key, creating);
    return await creating;
  }

  /** Lists a session that was opened for this window, and makes it the current one. */
  adopt(opened: CreatedSession): void {
    if (this.store.find(opened.id)) this.store.use(opened.id);
    else this.store.addCreated(opened);
    this.policy.request('created');
  }

  /** Destroys a session. One that is already gone counts as destroyed. */
  async destroy(session: SessionInfo): Promise<void> {
    const { client, embedded } = await this.#connection.access();
    try {
      const answer = await client.deleteBrowserSession({ params: { sessionId: session.id } });
      const message = endedSentence(session.name, answer, embedded !== undefined);
      this.#log.info(message);
      say(`$(check) ${message}`);
    } catch (error) {
      if (!isSessionGone(error)) throw error;
    }
    if (this.store.current?.id === session.id) this.store.use(undefined);
    this.store.markEnded(session.id, 'destroyed');
    this.policy.request('destroyed');
  }

  /** Records that a session has ended, as its service says, and reads why. */
  ended(sessionId: string): void {
    this.store.markEnded(sessionId, 'ended');
    this.policy.request('changed');
  }

  /** Hides the ended sessions in this window, also after it reloads. */
  async clearEnded(): Promise<void> {
    await this.#memento.update(clearedSessionsKey, this.store.clearEnded());
  }

  /** Records that code ran in a session. */
  ranIn(sessionId: string): void {
    this.store.touch(sessionId);
  }

  /** Asks the embedded service to get a browser ready, because a session may be needed soon. */
  warm(): void {
    this.#connection.sendToService({ type: 'warm' });
  }

  #createRenewal(): Renewal {
    const failed = new Set<string>();
    const renewal = new Renewal({
      store: this.store,
      renew: async (sessionId, body) => {
        const access = await this.#connection.existingAccess();
        return await access?.embedded?.renewSession({ params: { sessionId }, body });
      },
      idleSeconds: () => readSetting('sessionIdleMinutes') * 60,
      remembered: storedSessions(this.#memento.get(createdSessionsKey)),
      remember: (created) => void this.#memento.update(createdSessionsKey, [...created]),
      onFailure: (session, error) => {
        if (isSessionGone(error) || failed.has(session.id)) return;
        failed.add(session.id);
        this.#log.warn(`Could not keep session ${session.shortId} open: ${messageOf(error)}`);
      },
      now: Date.now,
      after: callLater,
    });
    this.add(onSettingChanged(['sessionIdleMinutes'], () => renewal.renewAll()));
    return renewal;
  }

  /** Keeps which session is current across reloads of the window. */
  #remember(): void {
    const stored = this.#memento.get<unknown>(currentSessionKey);
    this.#remembered = typeof stored === 'string' ? stored : undefined;
    let kept = this.#remembered;
    this.add(
      this.store.onChange.on(() => {
        const id = this.store.current?.id;
        if (id === undefined || id === kept) return;
        kept = id;
        this.#remembered = undefined;
        void this.#memento.update(currentSessionKey, id);
      }),
    );
  }

  async #savedProfiles() {
    const { embedded } = await this.#connection.access();
    return embedded ? (await embedded.listProfiles({})).profiles : [];
  }

  /** Creates a session like one that just ended, whose profile may still be being saved. */
  async #createLike(ended: SessionInfo): Promise<SessionInfo> {
    return await this.create(optionsOfSession(ended), Date.now() + profileSaveTimeoutMs);
  }

  /** Retries until `until` while another session saves to the profile (409). */
  async #whenProfileIsFree<Result>(until: number, request: () => Promise<Result>): Promise<Result> {
    for (;;) {
      try {
        return await request();
      } catch (error) {
        if (failureStatus(error) !== 409 || Date.now() >= until) throw error;
        await new Promise((resolve) => setTimeout(resolve, retryEveryMs));
      }
    }
  }

  async #create(options: SessionOptions, until: number): Promise<SessionInfo> {
    return await vscode.window.withProgress({ location: { viewId: views.browserSessions } }, async () => {
      const { client } = await this.#connection.access();
      try {
        const created = await this.#whenProfileIsFree(until, () => client.createBrowserSession({ body: options }));
        this.#log.info(`Created session ${created.id.slice(0, 8)} on ${targetName(this.#connection.target)}.`);
        this.store.noBrowser = undefined;
        this.renewal.created(created.id, options);
        const session = this.store.addCreated(created, options);
        this.policy.request('created');
        return session;
      } catch (error) {
        this.#noteFailure(error);
        if (this.store.state.kind === 'no-browser') this.store.noBrowser = this.store.state;
        throw withActions(error, this.#connection);
      }
    });
  }

  async #read({ client }: Access): Promise<() => void> {
    const { ids } = this.store;
    const { sessions } = await client.listBrowserSessions({}, { retries: 0 });
    return () => {
      this.store.setList(sessions, ids);
      const remembered = this.#remembered === undefined ? undefined : this.store.find(this.#remembered);
      this.#remembered = undefined;
      if (remembered?.status === 'active' && !this.store.current) this.store.use(remembered.id);
      // The list doesn't show whether Chrome can be found.
      if (this.store.noBrowser && this.store.active.length === 0) this.store.setState(this.store.noBrowser);
    };
  }

  #noteFailure(error: unknown, limitedUntil = 0): void {
    const state = failureState(error, limitedUntil);
    if (state) this.store.setState(state);
  }
}
