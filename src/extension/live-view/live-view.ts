import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { AgentSessions } from '../connection/agent-sessions.ts';
import type { Access, FeatureParts } from '../connection/connection.ts';
import { registerCommand, UserError } from '../ui/commands.ts';
import { commands, liveViewType } from '../ui/ids.ts';
import { Disposables } from '../ui/lifecycle.ts';
import { restoreLiveViews } from '../ui/stand-ins/views.ts';
import { webviewOptions } from '../ui/webview-host.ts';
import type { LivePanel } from './live-panel.ts';
import { panelColumn } from './panel-column.ts';
import { type LiveSessions, viewSource } from './view-source.ts';

/** A panel, and its controller once that is loaded. */
interface OpenPanel {
  panel: vscode.WebviewPanel;
  /** What it shows until its controller is loaded. */
  initial: { sessionId: string; pinned: boolean; control?: boolean };
  live?: LivePanel;
}

/** Whether pages keep a fixed size; kept for all windows of the user. */
const fixedSizeKey = 'webdata.liveViewFixedSize';
/** How long a view that is restored after a reload waits for the list of sessions. */
const listTimeoutMs = 10_000;

export interface LiveViewsOptions extends FeatureParts {
  sessions: LiveSessions;
  agents: AgentSessions;
  state: vscode.Memento;
  /** Called when a view shows a picture of its session. */
  onWatched(): void;
  /** Called when the service says that a session has ended, which the list of sessions may show later. */
  onEnded(sessionId: string): void;
  extensionUri: vscode.Uri;
}

/** The live views of this window: one that follows the current session, and those pinned to a session. */
export class LiveViews extends Disposables {
  #options: LiveViewsOptions;
  #panels = new Set<OpenPanel>();
  #column: ReturnType<typeof panelColumn>;

  constructor(options: LiveViewsOptions) {
    super();
    this.#options = options;
    this.#column = panelColumn(
      options.state,
      () => vscode.window.tabGroups.all.flatMap(({ tabs }) => tabs).length <= 1,
    );
    this.add(
      restoreLiveViews({ deserializeWebviewPanel: async (panel, state: unknown) => this.#restore(panel, state) }),
    );
    this.add(registerCommand(commands.pinLiveView, options.log, () => togglePin(this.#activePanel())));
  }

  /** Opens the live view of a session beside the editor: pinned to it, if it isn't the current one; with `control`, in control of it. */
  async open(sessionId: string, control = false): Promise<void> {
    const { current } = this.#options.sessions;
    const existing = [...this.#panels].find((each) => shownBy(each).sessionId === sessionId);
    if (existing) {
      existing.panel.reveal(undefined, true);
      if (control && existing.live) existing.live.takeControl();
      else if (control) existing.initial.control = true;
      return;
    }
    const panel = vscode.window.createWebviewPanel(
      liveViewType,
      l10n.t('Live View'),
      { viewColumn: this.#openColumn(), preserveFocus: true },
      // Keeps the recording, and the last picture of an ended session, while another tab is in front.
      { ...webviewOptions(this.#options.extensionUri), retainContextWhenHidden: true },
    );
    await this.#attach(panel, { sessionId, pinned: current !== undefined && current.id !== sessionId, control });
  }

  /** Opens the page of a live view in the browser, also from a window whose service runs on another machine. */
  async openInBrowser(sessionId: string): Promise<void> {
    const { connection, sessions } = this.#options;
    const control = await vscode.window.showQuickPick(
      [
        { label: l10n.t('Watch'), detail: l10n.t('View only.'), control: false },
        { label: l10n.t('Interact'), detail: l10n.t('Anyone who has the URL can control the browser.'), control: true },
      ],
      { title: l10n.t('Open Live View in Browser') },
    );
    if (!control) return;
    const access = await connection.access();
    const source = viewSource(sessions.find(sessionId), {
      embedded: false,
      baseUrl: access.baseUrl,
      control: control.control,
    });
    if (source.kind !== 'page')
      throw new UserError(source.kind === 'nothing' ? source.reason : l10n.t('This live view has no page.'));
    await this.#announceAuthority(access);
    const uri = await vscode.env.asExternalUri(vscode.Uri.parse(source.address.href, true));
    await vscode.env.openExternal(uri);
  }

  override dispose(): void {
    for (const { live } of this.#panels) live?.dispose();
    this.#panels.clear();
    super.dispose();
  }

  /** Tells the service the host that VS Code forwards it under, which it then accepts for the pages of live views. */
  async #announceAuthority({ embedded, baseUrl }: Access): Promise<void> {
    if (!embedded) return;
    const { authority } = await vscode.env.asExternalUri(vscode.Uri.parse(baseUrl, true));
    if (authority === new URL(baseUrl).host) return;
    this.#options.connection.sendToService({ type: 'outside-authority', authority: authority.toLowerCase() });
  }

  async #attach(panel: vscode.WebviewPanel, initial: OpenPanel['initial']): Promise<void> {
    const { connection, state } = this.#options;
    const opened: OpenPanel = { panel, initial };
    this.#panels.add(opened);
    showPinned(opened);
    this.#column.watch(panel);
    panel.onDidDispose(() => this.#panels.delete(opened));
    const { LivePanel } = await import('./live-panel.ts');
    if (!this.#panels.has(opened)) return;
    const fixedSize = {
      get: () => state.get(fixedSizeKey) === true,
      set: (fixed: boolean) => void state.update(fixedSizeKey, fixed),
    };
    const access = () => connection.existingAccess();
    opened.live = new LivePanel({ ...this.#options, ...initial, panel, fixedSize, access });
    showPinned(opened);
  }

  async #restore(panel: vscode.WebviewPanel, state: unknown): Promise<void> {
    const { sessionId, pinned } = (state ?? {}) as { sessionId?: unknown; pinned?: unknown };
    if (typeof sessionId !== 'string' || sessionId.length > 300) return panel.dispose();
    panel.webview.options = webviewOptions(this.#options.extensionUri);
    await this.#waitUntilListed(sessionId);
    await this.#attach(panel, { sessionId, pinned: pinned === true });
  }

  /** Waits until the list of sessions includes this one, or until `listTimeoutMs` have passed. */
  async #waitUntilListed(sessionId: string): Promise<void> {
    const { sessions, connection } = this.#options;
    const access = await connection.existingAccess().catch(() => undefined);
    if (!access || sessions.find(sessionId)) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(finish, listTimeoutMs);
      const listening = sessions.onDidChange(() => sessions.find(sessionId) && finish());
      function finish() {
        clearTimeout(timer);
        listening.dispose();
        resolve();
      }
    });
  }

  /** Returns where a panel opens: in the column that the user moved the last one to, or beside the editor. */
  #openColumn(): vscode.ViewColumn {
    const { value } = this.#column;
    if (value === undefined) return vscode.ViewColumn.Beside;
    // VS Code creates at most one new column.
    return Math.min(value, vscode.window.tabGroups.all.length + 1);
  }

  /** Returns the panel that a command is for: the active one, or the only one. */
  #activePanel(): OpenPanel {
    const panels = [...this.#panels];
    const panel = panels.find((each) => each.panel.active) ?? (panels.length === 1 ? panels[0] : undefined);
    if (!panel) throw new UserError(l10n.t('Open a live view first.'));
    return panel;
  }
}

function togglePin(opened: OpenPanel): void {
  if (opened.live) opened.live.pinned = !opened.live.pinned;
  showPinned(opened);
}

/** Marks the tab of a pinned live view. */
function showPinned(opened: OpenPanel): void {
  opened.panel.iconPath = new vscode.ThemeIcon(shownBy(opened).pinned ? 'pinned' : 'eye');
}

function shownBy({ live, initial }: OpenPanel): { sessionId: string; pinned: boolean } {
  return live ?? initial;
}
