import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { label } from '../../ui/text/text.ts';
import { fenced, visibleText } from '../../ui/text/visible-text.ts';
import type { ChatToolParts } from '../chat-tools.ts';

/**
 * Returns the question whether to do something with exactly this text. The text is in a block that it can't end, and its
 * invisible characters are shown.
 */
export function questionWith(
  title: string,
  { text, language = '', note }: { text: string; language?: string; note?: string },
): { title: string; message: vscode.MarkdownString } {
  const message = new vscode.MarkdownString(`${fenced(visibleText(text), language)}\n\n`);
  if (note) message.appendText(note);
  return { title, message };
}

/** Returns where a tool does its work. */
export function placeNote({ target }: ChatToolParts['connection']): string {
  return target.kind === 'embedded'
    ? l10n.t('Runs on this machine, in the embedded service.')
    : l10n.t('Runs on {0}.', label(target.host));
}
