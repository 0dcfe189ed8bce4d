import { randomBytes } from 'node:crypto';
import * as vscode from 'vscode';
import { type EventMap, readToExtension, type ToView } from '../../webviews/common/messages.ts';
import { reportFailure } from './commands.ts';
import { Disposables } from './lifecycle.ts';
import { messageOf } from './text/text.ts';

/** Handles one kind of request from a view. Requests whose parameters fail `check` are dropped. */
export interface RequestHandler<Params, Result> {
  check(params: unknown): params is Params;
  run(params: Params): Result | Promise<Result>;
}

export type RequestHandlers<Requests> = {
  [Name in keyof Requests]: Requests[Name] extends { params: infer Params; result: infer Result }
    ? RequestHandler<Params, Result>
    : never;
};

/** The extension's end of a webview channel. Sends nothing until the view is ready, drops unknown messages, and logs and shows failures. */
export class WebviewChannel<Events extends EventMap, Requests> {
  #webview: vscode.Webview;
  #handlers: RequestHandlers<Requests>;
  #ready = false;
  #onReady: () => unknown;
  #log: vscode.LogOutputChannel;
  #disposables = new Disposables();

  constructor(options: {
    webview: vscode.Webview;
    handlers: RequestHandlers<Requests>;
    onReady: () => unknown;
    log: vscode.LogOutputChannel;
  }) {
    this.#webview = options.webview;
    this.#handlers = options.handlers;
    this.#onReady = options.onReady;
    this.#log = options.log;
    this.#disposables.add(this.#webview.onDidReceiveMessage((message) => this.#receive(message)));
  }

  /** Sends an event to the view. Dropped until the view is ready, since `onReady` sends it the whole state. */
  send<Name extends keyof Events>(name: Name, params: Events[Name]): void {
    if (!this.#ready || this.#disposables.disposed) return;
    void this.#webview.postMessage({ kind: 'event', name, params } as ToView<Events>);
  }

  dispose(): void {
    this.#disposables.dispose();
  }

  async #receive(raw: unknown): Promise<void> {
    const message = readToExtension(raw);
    try {
      if (message?.kind === 'ready') {
        this.#ready = true;
        await this.#onReady();
        return;
      }
      const handler = message && Object.hasOwn(this.#handlers, message.name) ? this.#handler(message.name) : undefined;
      if (!message || !handler?.check(message.params)) {
        this.#log.warn('Dropped an unknown message from a webview.');
        return;
      }
      this.#answer({ kind: 'answer', id: message.id, result: await handler.run(message.params) });
    } catch (error) {
      const request = message?.kind === 'request' ? message : undefined;
      reportFailure(`webview: ${request?.name ?? 'ready'}`, error, this.#log);
      if (request) this.#answer({ kind: 'failure', id: request.id, message: messageOf(error) });
    }
  }

  #handler(name: string): RequestHandler<unknown, unknown> {
    return (this.#handlers as Record<string, RequestHandler<unknown, unknown>>)[name] as RequestHandler<
      unknown,
      unknown
    >;
  }

  #answer(message: ToView<Events>): void {
    if (!this.#disposables.disposed) void this.#webview.postMessage(message);
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
