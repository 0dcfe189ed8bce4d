import { randomBytes } from 'node:crypto';
import * as vscode from 'vscode';
import {
  type Checked,
  type EventMap,
  type RequestTable,
  readToExtension,
  type ToView,
} from '../../webviews/common/messages.ts';
import { reportFailure } from './commands.ts';
import { type Disposable, Disposables } from './lifecycle.ts';
import { registerWebviewView } from './stand-ins/views.ts';
import { messageOf } from './text/text.ts';

/** Handles the requests of a view, whose parameters are checked. */
export type RequestHandlers<Requests extends RequestTable> = {
  [Name in keyof Requests]: (params: Checked<Requests[Name]>) => unknown;
};

interface ChannelOptions<Requests extends RequestTable> {
  /** Requests that aren't in the table, or fail its check, are dropped. */
  requests: Requests;
  handlers: RequestHandlers<Requests>;
  /** Called when the view is ready, also when it is loaded again: sends it its state. */
  onReady(): unknown;
  log: vscode.LogOutputChannel;
}

/** The extension's end of a webview channel. Sends nothing until the view is ready, drops unknown messages, and logs and shows failures. */
export class WebviewChannel<Events extends EventMap, Requests extends RequestTable> extends Disposables {
  #webview: vscode.Webview;
  #options: ChannelOptions<Requests>;
  #ready = false;

  constructor(webview: vscode.Webview, options: ChannelOptions<Requests>) {
    super();
    this.#webview = webview;
    this.#options = options;
    this.add(webview.onDidReceiveMessage((message) => this.#receive(message)));
  }

  /**
   * Sends an event to the view. Dropped until the view is ready, since `onReady` sends it the whole state. Returns what ends
   * when VS Code has taken it, which may be before the view has it.
   */
  send<Name extends keyof Events>(name: Name, params: Events[Name]): Thenable<boolean> | undefined {
    return this.#ready ? this.#post({ kind: 'event', name, params } as ToView<Events>) : undefined;
  }

  async #receive(raw: unknown): Promise<void> {
    const { requests, onReady, log } = this.#options;
    const handlers = this.#options.handlers as Readonly<Record<string, (params: unknown) => unknown>>;
    const message = readToExtension(raw);
    try {
      if (message?.kind === 'ready') {
        this.#ready = true;
        await onReady();
      } else if (message && Object.hasOwn(requests, message.name) && requests[message.name]?.(message.params)) {
        await handlers[message.name]?.(message.params);
        this.#post({ kind: 'answer', id: message.id });
      } else log.warn('Dropped an unknown message from a webview.');
    } catch (error) {
      const request = message?.kind === 'request' ? message : undefined;
      reportFailure(`webview: ${request?.name ?? 'ready'}`, error, log);
      if (request) this.#post({ kind: 'failure', id: request.id, message: messageOf(error) });
    }
  }

  #post(message: ToView<Events>): Thenable<boolean> | undefined {
    return this.disposed ? undefined : this.#webview.postMessage(message);
  }
}

interface ViewOptions<Requests extends RequestTable> extends ChannelOptions<Requests> {
  id: string;
  title: string;
  /** Name of its script and its style sheet. */
  bundle: string;
  extensionUri: vscode.Uri;
  inlineStyles?: boolean;
  /** Called when it is opened, shown, hidden or closed. */
  onVisible?(visible: boolean): void;
}

/** A view of the side bar or the panel whose content is a webview. VS Code loads it again when it is shown after it was hidden. */
export class WebviewView<Events extends EventMap, Requests extends RequestTable> implements vscode.Disposable {
  #options: ViewOptions<Requests>;
  #open: { view: vscode.WebviewView; channel: WebviewChannel<Events, Requests> } | undefined;
  #registration: Disposable;

  constructor(options: ViewOptions<Requests>) {
    this.#options = options;
    this.#registration = registerWebviewView(options.id, { resolveWebviewView: (view) => this.#resolve(view) });
  }

  /** Undefined while it isn't open. */
  get view(): vscode.WebviewView | undefined {
    return this.#open?.view;
  }

  send<Name extends keyof Events>(name: Name, params: Events[Name]): void {
    this.#open?.channel.send(name, params);
  }

  dispose(): void {
    this.#open?.channel.dispose();
    this.#registration.dispose();
  }

  #resolve(view: vscode.WebviewView): void {
    const { extensionUri, bundle, title, inlineStyles, onVisible } = this.#options;
    this.#open?.channel.dispose();
    view.webview.options = webviewOptions(extensionUri);
    const open = { view, channel: new WebviewChannel<Events, Requests>(view.webview, this.#options) };
    this.#open = open;
    onVisible?.(view.visible);
    if (onVisible) view.onDidChangeVisibility(() => onVisible(view.visible));
    view.onDidDispose(() => {
      open.channel.dispose();
      if (this.#open !== open) return;
      this.#open = undefined;
      onVisible?.(false);
    });
    view.webview.html = webviewPage(view.webview, extensionUri, bundle, title, { inlineStyles });
  }
}

/**
 * Returns a webview's HTML: one script and one style sheet. Nothing else can load or connect, except a frame from
 * `frameOrigin` if set. `inlineStyles` is for views with a preview of HTML, whose frame has the same policy.
 */
export function webviewPage(
  webview: vscode.Webview,
  extensionUri: vscode.Uri,
  bundle: string,
  title: string,
  { frameOrigin, inlineStyles = false }: { frameOrigin?: string; inlineStyles?: boolean } = {},
): string {
  const nonce = randomBytes(16).toString('base64');
  const at = (...path: string[]) => webview.asWebviewUri(vscode.Uri.joinPath(extensionUri, ...path)).toString();
  const policy = [
    "default-src 'none'",
    `script-src 'nonce-${nonce}'`,
    `style-src ${webview.cspSource}${inlineStyles ? " 'unsafe-inline'" : ''}`,
    `font-src ${webview.cspSource}`,
    'img-src data:',
    ...(frameOrigin ? [`frame-src ${frameOrigin}`] : []),
  ].join('; ');
  // In a script element, only "<" could end the text.
  const strings = vscode.l10n.bundle && JSON.stringify(vscode.l10n.bundle).replaceAll('<', '\\u003c');
  return `<!DOCTYPE html>
<html lang="${strings ? vscode.env.language : 'en'}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<link rel="stylesheet" href="${at('dist', 'codicons', 'codicon.css')}" id="vscode-codicon-stylesheet">
<link rel="stylesheet" href="${at('dist', 'webviews', `${bundle}.css`)}">
</head>
<body>
<header class="view-name"><h1>${title}</h1></header>
<main id="app"></main>
${strings ? `<script type="application/json" id="l10n">${strings}</script>\n` : ''}<script nonce="${nonce}" src="${at('dist', 'webviews', `${bundle}.js`)}"></script>
</body>
</html>`;
}

/** Returns the options of a webview that can load only the built files. */
export function webviewOptions(extensionUri: vscode.Uri): vscode.WebviewOptions {
  return {
    enableScripts: true,
    enableForms: false,
    enableCommandUris: false,
    localResourceRoots: [
      vscode.Uri.joinPath(extensionUri, 'dist', 'webviews'),
      vscode.Uri.joinPath(extensionUri, 'dist', 'codicons'),
    ],
  };
}
