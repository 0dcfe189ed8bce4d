import * as vscode from 'vscode';
import type { ViewerCommand } from '../../webviews/live-view/messages.ts';
import type { Access, Connection } from '../connection/connection.ts';
import { registerCommand, requireTrust, UserError } from '../ui/commands.ts';
import { commands } from '../ui/ids.ts';
import { Disposables } from '../ui/lifecycle.ts';
import { webviewOptions } from '../ui/webview-host.ts';
import type { LivePanel } from './live-panel.ts';
import type { LiveSessions } from './live-sessions.ts';
import { viewSource } from './view-source.ts';

/** A panel, and its controller once that is loaded. */
interface OpenPanel {
  panel: vscode.WebviewPanel;
  live?: LivePanel;
}

/** View type of the panels, for `when` clauses and for restoring them after a reload. */
const viewType = 'webdataLiveView';
/** How long a view that is restored after a reload waits for the list of sessions. */
const listTimeoutMs = 10_000;

export interface LiveViewsOptions {
  connection: Connection;
  sessions: LiveSessions;
  extensionUri: vscode.Uri;
  log: vscode.LogOutputChannel;
}

/** The live views of this window, one per session. */
export class LiveViews implements vscode.Disposable {
  #options: LiveViewsOptions;
  #panels = new Map<string, OpenPanel>();
  #disposables = new Disposables();

  constructor(options: LiveViewsOptions) {
    this.#options = options;
    this.#disposables.add(
      vscode.window.registerWebviewPanelSerializer(viewType, {
        deserializeWebviewPanel: async (panel, state: unknown) => this.#restore(panel, state),
      }),
    );
    const panelCommands: [(typeof commands)[keyof typeof commands], ViewerCommand][] = [
      [commands.liveViewControl, 'toggleControl'],
      [commands.liveViewFit, 'toggleFit'],
      [commands.liveViewActualSize, 'toggleActualSize'],
      [commands.liveViewScreenshot, 'screenshot'],
      [commands.liveViewRecording, 'saveRecording'],
    ];
    for (const [id, command] of panelCommands) {
      this.#disposables.add(
        registerCommand(id, options.log, () => {
          requireTrust();
          const panel = [...this.#panels.values()].find((each) => each.panel.active) ?? this.#onlyPanel();
          if (!panel) throw new UserError('Open a live view first.');
          panel.live?.run(command);
        }),
      );
    }
  }

  /** Opens the live view of a session beside the editor, or in place of the live view of the session `instead`. */
  async open(sessionId: string, instead?: string): Promise<void> {
    requireTrust();
    const existing = this.#panels.get(sessionId);
    if (existing) {
      existing.panel.reveal(undefined, true);
      return;
    }
    const replaced = instead === undefined ? undefined : this.#panels.get(instead);
    const panel = vscode.window.createWebviewPanel(
      viewType,
      'Live View',
      { viewColumn: replaced?.panel.viewColumn ?? vscode.ViewColumn.Beside, preserveFocus: true },
      // Keeps the recording, and the last picture of an ended session, while another tab is in front.
      { ...webviewOptions(this.#options.extensionUri), retainContextWhenHidden: true },
    );
    replaced?.panel.dispose();
    await this.#attach(panel, sessionId);
  }

  /** Opens the page of a live view in the browser, also from a window whose service runs on another machine. */
  async openInBrowser(sessionId: string): Promise<void> {
    const { connection, sessions } = this.#options;
    const control = await vscode.window.showQuickPick(
      [
        { label: 'Watch', detail: 'View only.', control: false },
        { label: 'Interact', detail: 'Anyone who has the URL can control the browser.', control: true },
      ],
      { title: 'Open Live View in Browser' },
    );
    if (!control) return;
    const access = await connection.access();
    const source = viewSource(sessions.find(sessionId), {
      embedded: false,
      baseUrl: access.baseUrl,
      control: control.control,
    });
    if (source.kind !== 'page')
      throw new UserError(source.kind === 'nothing' ? source.reason : 'This live view has no page.');
    await this.#announceAuthority(access);
    const uri = await vscode.env.asExternalUri(vscode.Uri.parse(source.address.href, true));
    await vscode.env.openExternal(uri);
  }

  dispose(): void {
    for (const { live } of this.#panels.values()) live?.dispose();
    this.#panels.clear();
    this.#disposables.dispose();
  }

  /** Tells the service the host that VS Code forwards it under, which it then accepts for the pages of live views. */
  async #announceAuthority({ embedded, baseUrl }: Access): Promise<void> {
    if (!embedded) return;
    const { authority } = await vscode.env.asExternalUri(vscode.Uri.parse(baseUrl, true));
    if (authority === new URL(baseUrl).host) return;
    this.#options.connection.sendToService({ type: 'outside-authority', authority: authority.toLowerCase() });
  }

  async #attach(panel: vscode.WebviewPanel, sessionId: string): Promise<void> {
    const { sessions, connection, extensionUri, log } = this.#options;
    panel.iconPath = new vscode.ThemeIcon('eye');
    const opened: OpenPanel = { panel };
    this.#panels.set(sessionId, opened);
    panel.onDidDispose(() => {
      if (this.#panels.get(sessionId) === opened) this.#panels.delete(sessionId);
    });
    const { LivePanel } = await import('./live-panel.ts');
    if (this.#panels.get(sessionId) !== opened) return;
    const access = () => connection.existingAccess();
    opened.live = new LivePanel({ panel, sessionId, sessions, extensionUri, log, access });
  }

  async #restore(panel: vscode.WebviewPanel, state: unknown): Promise<void> {
    const sessionId = (state as { sessionId?: unknown } | undefined)?.sessionId;
    if (typeof sessionId !== 'string' || sessionId.length > 300 || this.#panels.has(sessionId)) return panel.dispose();
    panel.webview.options = webviewOptions(this.#options.extensionUri);
    await this.#waitUntilListed(sessionId);
    await this.#attach(panel, sessionId);
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

  #onlyPanel(): OpenPanel | undefined {
    const [only, ...others] = this.#panels.values();
    return others.length === 0 ? only : undefined;
  }
}
