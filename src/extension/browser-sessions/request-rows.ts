import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { PermitRequest } from '../../contract/mcp/agent-sessions.ts';
import { commands } from '../ui/ids.ts';
import { requestText } from '../ui/text/agent-texts.ts';
import { label } from '../ui/text/text.ts';

/** A row for what an agent waits to be allowed. */
export interface RequestNode {
  requestId: string;
}

export function isRequestNode(node: object): node is RequestNode {
  return 'requestId' in node;
}

/** Returns the item of a request; its buttons answer it. */
export function requestItem(request: PermitRequest): vscode.TreeItem {
  const text = requestText(request);
  const item = new vscode.TreeItem(text);
  item.id = `request ${request.id}`;
  item.iconPath = new vscode.ThemeIcon('question', new vscode.ThemeColor('list.warningForeground'));
  item.contextValue = request.kind === 'code' ? 'request code' : 'request';
  item.tooltip = [text, label(request.detail, 1000)].filter(Boolean).join('\n');
  item.accessibilityInformation = { label: l10n.t('{0}. Allow or deny it with the actions of this row.', text) };
  item.command = request.sessionId
    ? { command: commands.openLiveView, title: l10n.t('Open Live View'), arguments: [{ sessionId: request.sessionId }] }
    : { command: commands.showRequest, title: l10n.t('Show Request'), arguments: [{ requestId: request.id }] };
  return item;
}
