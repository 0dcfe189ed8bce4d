import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { AgentSession } from '../../contract/mcp/agent-sessions.ts';
import type { AgentSessions } from '../connection/agent-sessions.ts';
import { limitWords } from '../connection/polling/server-store.ts';
import { setContextKey } from '../ui/commands.ts';
import { commands, views } from '../ui/ids.ts';
import { Disposables, type Signal } from '../ui/lifecycle.ts';
import { icons, rowItem } from '../ui/row-item.ts';
import { currentMark } from '../ui/session-mark.ts';
import { createTreeView } from '../ui/stand-ins/views.ts';
import { agentState } from '../ui/text/agent-texts.ts';
import type { BrowserSessions } from './browser-sessions.ts';
import {
  type EndedGroup,
  endedGroup,
  endedGroupItem,
  type NoBrowserNode,
  noBrowserItem,
  noBrowserRows,
  type RequestNode,
  requestItem,
} from './other-rows.ts';
import { sessionTexts, stateMessage } from './session-texts.ts';
import { isActive, type SessionInfo } from './sessions-store.ts';

/** A row: a session by its id, what an agent asks for, the group of ended ones, or a hint when Chrome isn't found. */
export type SessionNode = { sessionId: string } | RequestNode | EndedGroup | NoBrowserNode;

/** Rows that count down each second. Those below them, which nobody sees at once, do so when the list is read. */
const maxTicking = 200;

/** The "Browser Sessions" view. */
export class SessionsTree extends Disposables implements vscode.TreeDataProvider<SessionNode> {
  #sessions: BrowserSessions;
  #agents: AgentSessions;
  /** What of the agents is on screen. */
  #shownAgents = '';
  #isBusy: (sessionId: string) => boolean;
  #changed = this.add(new vscode.EventEmitter<SessionNode | undefined>());
  #nodes = new Map<string, SessionNode>();
  #view: vscode.TreeView<SessionNode>;
  #tick: NodeJS.Timeout | undefined;
  readonly onDidChangeTreeData = this.#changed.event;

  constructor(
    sessions: BrowserSessions,
    agents: AgentSessions,
    runs: { isBusy(sessionId: string): boolean; onBusyChanged: Signal<string> },
  ) {
    super();
    this.#sessions = sessions;
    this.#agents = agents;
    this.#isBusy = (id) => runs.isBusy(id);
    this.#view = this.add(createTreeView<SessionNode>(views.browserSessions, this));
    this.add(this.#view.onDidChangeVisibility(({ visible }) => this.#setVisible(visible)));
    this.add(sessions.store.onChange.on((change) => this.#storeChanged(change.kind)));
    this.add(
      runs.onBusyChanged.on((id) => {
        const node = this.#nodes.get(id);
        if (node) this.#changed.fire(node);
      }),
    );
    this.add(agents.onChange.on(() => this.#agentsChanged()));
    this.add({ dispose: () => this.#setVisible(false) });
    this.#storeChanged('all');
    this.#setVisible(this.#view.visible);
  }

  getChildren(element?: SessionNode): SessionNode[] {
    const { store } = this.#sessions;
    const locations = store.state.kind === 'no-browser' ? store.state.searched : undefined;
    if (element && 'group' in element) return this.#nodesOf(store.ended);
    if (element) return locations && 'hint' in element ? noBrowserRows(locations, element) : [];
    const shown = new Set(store.sessions.map(({ id }) => id));
    for (const id of this.#nodes.keys()) if (!shown.has(id)) this.#nodes.delete(id);
    const hints = locations ? noBrowserRows(locations) : [];
    const requests = this.#agents.requests.map(({ id }) => ({ requestId: id }));
    return [...requests, ...hints, ...this.#nodesOf(store.active), ...(store.ended.length > 0 ? [endedGroup] : [])];
  }

  getTreeItem(node: SessionNode): vscode.TreeItem {
    if ('hint' in node || 'place' in node) return noBrowserItem(node);
    if ('requestId' in node) {
      const request = this.#agents.requests.find(({ id }) => id === node.requestId);
      return request ? requestItem(request) : new vscode.TreeItem('');
    }
    if ('group' in node) return endedGroupItem(this.#sessions.store.ended.length);
    const session = this.#sessions.store.find(node.sessionId);
    if (!session) return new vscode.TreeItem(node.sessionId.slice(0, 8));
    return this.#sessionItem(session);
  }

  #agentsChanged(): void {
    const { sessions, requests } = this.#agents;
    const shown = JSON.stringify([sessions.map((session) => ({ ...session, actions: session.actions > 0 })), requests]);
    if (shown === this.#shownAgents) return;
    this.#shownAgents = shown;
    const count = this.#agents.requests.length;
    const tooltip =
      count === 1
        ? l10n.t('An agent is waiting for your permission')
        : l10n.t('{0} agent requests are waiting for you', count);
    this.#view.badge = count > 0 ? { value: count, tooltip } : undefined;
    setContextKey('agentWaits', count > 0);
    setContextKey('agentSessions', this.#agents.sessions.length > 0);
    this.#changed.fire(undefined);
  }

  #nodesOf(sessions: readonly SessionInfo[]): SessionNode[] {
    return sessions.map(({ id }) => {
      const node = this.#nodes.get(id) ?? { sessionId: id };
      this.#nodes.set(id, node);
      return node;
    });
  }

  #sessionItem(session: SessionInfo): vscode.TreeItem {
    const { store } = this.#sessions;
    const current = store.current?.id === session.id;
    const busy = this.#isBusy(session.id);
    const agent = isActive(session) ? this.#agents.find(session.id) : undefined;
    const state = agent && agentState(agent);
    const texts = sessionTexts(session, {
      agent: state,
      now: Date.now(),
      current,
      busy,
      several: store.active.length > 1,
    });
    const use = { command: commands.useBrowserSession, title: l10n.t('Use This Session') };
    const icon = agent && state && !busy ? agentIcon(agent) : iconOf(session, current, busy);
    const color = iconColor(session, current);
    return rowItem({
      ...texts,
      id: session.id,
      icon: color === undefined ? icon : [icon, color],
      context: [
        'session',
        isActive(session) ? 'active' : 'ended',
        current ? 'current' : 'other',
        agent && 'agent',
        agent && (agent.paused ? 'paused' : 'unpaused'),
        agent && agent.actions > 0 && 'recorded',
        session.cdpUrl && 'cdp',
        (session.liveViewUrl || session.interactiveLiveViewUrl) && 'live',
      ],
      command: isActive(session) ? { ...use, arguments: [{ sessionId: session.id }] } : undefined,
    });
  }

  #storeChanged(kind: 'all' | 'session' | 'state'): void {
    const { store } = this.#sessions;
    const rows = store.sessions.length;
    setContextKey('sessionsState', store.state.kind);
    setContextKey('hasSessions', store.active.length > 0);
    setContextKey('endedSessions', store.ended.length > 0);
    this.#view.message = stateMessage(store.state, { rows, updatedAt: store.updatedAt, now: Date.now() });
    const active = store.active.length;
    const limited = store.state.kind === 'no-browser' ? undefined : limitWords(store.state);
    this.#view.description = limited ?? (active > 1 ? l10n.t('{0} active', active) : undefined);
    if (kind !== 'session' || rows === 0) this.#changed.fire(undefined);
    this.#setTicking(this.#view.visible && active > 0);
  }

  #setVisible(visible: boolean): void {
    this.#sessions.policy.setVisible(visible);
    if (visible) this.#sessions.warm();
    this.#setTicking(visible && this.#sessions.store.active.length > 0);
  }

  /** Counts down the time left without requests, only while the view is visible. */
  #setTicking(ticking: boolean): void {
    if (!ticking) {
      clearInterval(this.#tick);
      this.#tick = undefined;
    } else this.#tick ??= setInterval(() => this.#redrawActive(), 1000);
  }

  #redrawActive(): void {
    const { store, policy } = this.#sessions;
    const now = Date.now();
    const readAt = store.updatedAt ?? now;
    // Past its idle time a session has either closed or been used elsewhere: one refresh shows which.
    if (store.active.some(({ idleAt = 0 }) => idleAt > readAt && idleAt <= now)) policy.request('changed');
    for (const session of store.active.slice(0, maxTicking)) {
      const node = this.#nodes.get(session.id);
      if (node) this.#changed.fire(node);
    }
  }
}

function agentIcon({ paused, acting }: AgentSession): string {
  return paused ? 'debug-pause' : acting ? 'hubot' : currentMark.otherIcon;
}

function iconOf(session: SessionInfo, current: boolean, busy: boolean): string {
  if (busy) return 'loading~spin';
  if (!isActive(session)) return session.status === 'error' ? 'error' : 'circle-slash';
  return current ? currentMark.icon : currentMark.otherIcon;
}

function iconColor(session: SessionInfo, current: boolean): string | undefined {
  if (session.status === 'error') return icons.failed[1];
  if (!isActive(session)) return icons.stopped[1];
  return current ? 'testing.iconPassed' : undefined;
}
