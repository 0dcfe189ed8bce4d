import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { missingCommas } from './draft.ts';
import { crawlDocuments } from './draft-marks.ts';

/** Completes the `webhook` of a crawl with the URL of the running webhook receiver. */
export function registerWebhookCompletion(webhookUrl: () => string | undefined): vscode.Disposable {
  return vscode.languages.registerCompletionItemProvider(
    crawlDocuments,
    {
      provideCompletionItems(document, position) {
        const url = webhookUrl();
        const line = document.lineAt(position).text;
        // The name, or the value after it.
        const name = /^\s*"?(?:w|we|web|webh|webho|webhoo|webhook)?"?$/.exec(line.slice(0, position.character));
        const value = /^(\s*"webhook"\s*:\s*)"?[^",]*$/.exec(line.slice(0, position.character));
        if (url === undefined || !(name ?? value)) return undefined;
        const start = value?.[1]?.length ?? line.length - line.trimStart().length;
        const [rest = ''] = /^[^,]*/.exec(line.slice(position.character)) ?? [];
        const written = JSON.stringify(url);
        const item = new vscode.CompletionItem(
          {
            label: value ? written : '"webhook"',
            description: value ? l10n.t('Webhook receiver') : l10n.t('to the webhook receiver'),
          },
          vscode.CompletionItemKind.Value,
        );
        const range = new vscode.Range(position.line, start, position.line, position.character + rest.trimEnd().length);
        const text = document.getText();
        const commas = missingCommas(text, document.offsetAt(range.start), document.offsetAt(range.end));
        item.range = range;
        item.filterText = value ? written : '"webhook"';
        item.insertText = `${value ? written : `"webhook": ${written}`}${commas.after ? ',' : ''}`;
        if (commas.before) {
          const end = document.positionAt(text.slice(0, document.offsetAt(range.start)).trimEnd().length);
          item.additionalTextEdits = [vscode.TextEdit.insert(end, ',')];
        }
        item.documentation = l10n.t('The webhook receiver of this window, listening at {0}', url);
        item.preselect = true;
        item.sortText = '0';
        return [item];
      },
    },
    '"',
    ':',
  );
}
