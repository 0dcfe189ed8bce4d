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

/** A panel, and what runs it once that is loaded. */
interface Held {
  panel: vscode.WebviewPanel;
  live?: LivePanel;
}

/** Type of the panels, as `when` clauses and a reloaded window know them. */
const viewType = 'webdataLiveView';
/** How long a view that came back after a reload waits for the list of sessions. */
const listMs = 10_000;

export interface LiveViewsOptions {
  connection: Connection;
  sessions: LiveSessions;
  extensionUri: vscode.Uri;
  log: vscode.LogOutputChannel;
}

/** The live views of this window, one a session. */
export class LiveViews implements vscode.Disposable {
  #options: LiveViewsOptions;
  #panels = new Map<string, Held>();
  #disposables = new Disposables();

  constructor(options: LiveViewsOptions) {
    this.#options = options;
    this.#disposables.add(
      vscode.window.registerWebviewPanelSerializer(viewType, {
        deserializeWebviewPanel: async (panel, state: unknown) => this.#restore(panel, state),
      }),
    );
    const inView: [(typeof commands)[keyof typeof commands], ViewerCommand][] = [
      [commands.liveViewControl, 'toggleControl'],
      [commands.liveViewFit, 'toggleFit'],
      [commands.liveViewActualSize, 'toggleActualSize'],
      [commands.liveViewScreenshot, 'screenshot'],
      [commands.liveViewRecording, 'saveRecording'],
    ];
    for (const [id, command] of inView) {
      this.#disposables.add(
        registerCommand(id, options.log, () => {
          requireTrust();
          const panel = [...this.#panels.values()].find((each) => each.panel.active) ?? this.#onlyPanel();
          if (!panel) throw new UserError('There is no live view to do that in.');
          panel.live?.run(command);
        }),
      );
    }
  }

  /** Opens the live view of a session beside the editor, in the place of another one where `instead` names it. */
  async open(sessionId: string, instead?: string): Promise<void> {
    requireTrust();
    const known = this.#panels.get(sessionId);
    if (known) {
      known.panel.reveal(undefined, true);
      return;
    }
    const replaced = instead === undefined ? undefined : this.#panels.get(instead);
    const panel = vscode.window.createWebviewPanel(
      viewType,
      'Live View',
      { viewColumn: replaced?.panel.viewColumn ?? vscode.ViewColumn.Beside, preserveFocus: true },
      // What was watched, and the last picture of a session that has ended, stay while another tab is in front.
      { ...webviewOptions(this.#options.extensionUri), retainContextWhenHidden: true },
    );
    replaced?.panel.dispose();
    await this.#hold(panel, sessionId);
  }

  /** Opens a session's page in a browser, also from a window whose service runs on another machine. */
  async openInBrowser(sessionId: string): Promise<void> {
    const { connection, sessions } = this.#options;
    const control = await vscode.window.showQuickPick(
      [
        { label: 'Watch', detail: 'A page to look at.', control: false },
        { label: 'Interact', detail: 'Whoever has its address controls the browser.', control: true },
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
    if (source.kind !== 'page') throw new UserError(source.kind === 'nothing' ? source.reason : 'There is no page.');
    await this.#tellAuthority(access);
    const uri = await vscode.env.asExternalUri(vscode.Uri.parse(source.address.href, true));
    await vscode.env.openExternal(uri);
  }

  dispose(): void {
    for (const { live } of this.#panels.values()) live?.dispose();
    this.#panels.clear();
    this.#disposables.dispose();
  }

  /** The service lets in the name that VS Code forwards it under, on the pages of live views alone. */
  async #tellAuthority({ embedded, baseUrl }: Access): Promise<void> {
    if (!embedded) return;
    const { authority } = await vscode.env.asExternalUri(vscode.Uri.parse(baseUrl, true));
    if (authority === new URL(baseUrl).host) return;
    this.#options.connection.sendToService({ type: 'outside-authority', authority: authority.toLowerCase() });
  }

  async #hold(panel: vscode.WebviewPanel, sessionId: string): Promise<void> {
    const { sessions, connection, extensionUri, log } = this.#options;
    panel.iconPath = new vscode.ThemeIcon('eye');
    const held: Held = { panel };
    this.#panels.set(sessionId, held);
    panel.onDidDispose(() => {
      if (this.#panels.get(sessionId) === held) this.#panels.delete(sessionId);
    });
    const { LivePanel } = await import('./live-panel.ts');
    if (this.#panels.get(sessionId) !== held) return;
    const access = () => connection.existingAccess();
    held.live = new LivePanel({ panel, sessionId, sessions, extensionUri, log, access });
  }

  async #restore(panel: vscode.WebviewPanel, state: unknown): Promise<void> {
    const sessionId = (state as { sessionId?: unknown } | undefined)?.sessionId;
    if (typeof sessionId !== 'string' || sessionId.length > 300 || this.#panels.has(sessionId)) return panel.dispose();
    panel.webview.options = webviewOptions(this.#options.extensionUri);
    await this.#known(sessionId);
    await this.#hold(panel, sessionId);
  }

  /** Waits until the list of sessions that the window reads after a reload names this one, or long enough. */
  async #known(sessionId: string): Promise<void> {
    const { sessions, connection } = this.#options;
    const access = await connection.existingAccess().catch(() => undefined);
    if (!access || sessions.find(sessionId)) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(finish, listMs);
      const listening = sessions.onDidChange(() => sessions.find(sessionId) && finish());
      function finish() {
        clearTimeout(timer);
        listening.dispose();
        resolve();
      }
    });
  }

  #onlyPanel(): Held | undefined {
    const [only, ...others] = this.#panels.values();
    return others.length === 0 ? only : undefined;
  }
}
