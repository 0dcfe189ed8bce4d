import { fileURLToPath } from 'node:url';
import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { Client } from '../../../client/client.ts';
import type { ConsoleLine } from '../../../contract/sessions/traffic.ts';
import type { Events } from '../../../webviews/live-view/messages.ts';
import { UserError } from '../../ui/commands.ts';
import { safeFileName } from '../../ui/virtual-documents/file-names.ts';
import type { VirtualDocuments } from '../../ui/virtual-documents/virtual-documents.ts';
import { saveFile } from '../save-files.ts';
import { TrafficFeed } from './feed.ts';
import { exchangeText, lineText } from './texts.ts';

interface Options {
  panel: vscode.WebviewPanel;
  documents: VirtualDocuments;
  client(): Promise<Client | undefined>;
  sessionId(): string;
  ended(): boolean;
  /** Name of a file that is saved from the session, without extension. */
  saveName(): string;
  log: vscode.LogOutputChannel;
  send<Name extends 'traffic' | 'trafficState'>(name: Name, params: Events[Name]): void;
}

/** The extension's end of the pane with the console and the network of a session. */
export class LiveTraffic extends TrafficFeed {
  #options: Options;
  /** Lines of the console that were sent to the webview. */
  #lines = new Map<string, ConsoleLine>();

  constructor(options: Options) {
    const { panel, send } = options;
    super({
      ...options,
      visible: () => panel.visible,
      show: (entries) => {
        if (entries.fresh) this.#lines.clear();
        for (const line of entries.lines) this.#lines.set(line.id, line);
        send('traffic', entries);
      },
      showState: (text) => send('trafficState', { text }),
    });
    this.#options = options;
  }

  async openRequest(requestId: string): Promise<void> {
    const client = await this.#client();
    const params = { sessionId: this.#options.sessionId(), requestId };
    const exchange = await client.readNetworkRequest({ params });
    const name = `${safeFileName(exchange.method, URL.parse(exchange.url)?.pathname, requestId)}.md`;
    await this.#showBeside(this.#options.documents.hold(name, exchangeText(exchange)));
  }

  async openLine(id: string): Promise<void> {
    const line = this.#lines.get(id);
    if (!line) return;
    const file = fileOf(line);
    if (file) {
      const at = new vscode.Position(Math.max(0, (line.line ?? 1) - 1), Math.max(0, (line.column ?? 1) - 1));
      await this.#showBeside(file, new vscode.Range(at, at));
    } else {
      const name = `${safeFileName('console', id)}.txt`;
      await this.#showBeside(this.#options.documents.hold(name, lineText(line)));
    }
  }

  async saveArchive(): Promise<void> {
    const client = await this.#client();
    const choice = await askForSecrets();
    if (!choice) return;
    const { secrets } = choice;
    const params = { sessionId: this.#options.sessionId() };
    const archive = await client.exportNetwork({ params, query: secrets ? { secrets } : {} });
    const bytes = new TextEncoder().encode(`${JSON.stringify(archive, undefined, 2)}\n`);
    const options = {
      name: this.#options.saveName(),
      extension: 'har',
      isPrivate: secrets,
      texts: {
        title: l10n.t('Save as HAR'),
        filter: l10n.t('HTTP archive'),
        saved: secrets
          ? l10n.t('Web Data: HTTP archive saved. Anyone who has the file can use the logins in it.')
          : l10n.t('Web Data: HTTP archive saved. Secrets in it are masked.'),
      },
    };
    await saveFile(bytes.buffer, options, this.#options.log);
  }

  async #client(): Promise<Client> {
    const client = await this.#options.client();
    if (!client) throw new UserError(l10n.t('The session has ended because its service stopped.'));
    return client;
  }

  /** Opens a document beside the live view, so that both are seen. */
  async #showBeside(uri: vscode.Uri, selection?: vscode.Range): Promise<void> {
    const { viewColumn } = this.#options.panel;
    const column = viewColumn === vscode.ViewColumn.One ? vscode.ViewColumn.Beside : vscode.ViewColumn.One;
    await vscode.window.showTextDocument(uri, { viewColumn: column, preview: true, ...(selection && { selection }) });
  }
}

/** Asks whether an archive has what logs a person in. */
async function askForSecrets(): Promise<{ secrets: boolean } | undefined> {
  const choices = [
    {
      label: l10n.t('Mask Secrets'),
      detail: l10n.t('Cookies, tokens and passwords are replaced, so that the file can be shared'),
      secrets: false,
    },
    {
      label: l10n.t('Keep Secrets'),
      detail: l10n.t('Anyone who has the file can use the logins in it'),
      secrets: true,
    },
  ];
  return await vscode.window.showQuickPick(choices, { title: l10n.t('Save as HAR') });
}

/** Returns the file of the workspace that a line of the console comes from; undefined if it comes from elsewhere. */
function fileOf({ url, line }: ConsoleLine): vscode.Uri | undefined {
  if (!url?.startsWith('file:') || !line || !URL.canParse(url)) return undefined;
  const uri = vscode.Uri.file(fileURLToPath(url));
  return vscode.workspace.getWorkspaceFolder(uri) ? uri : undefined;
}
