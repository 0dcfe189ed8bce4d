import * as l10n from '@vscode/l10n';
import type * as vscode from 'vscode';
import type { PermitRequest } from '../../contract/mcp/agent-sessions.ts';
import { commands, settings, settingsSection } from '../ui/ids.ts';
import { icons, rowItem } from '../ui/row-item.ts';
import { requestText } from '../ui/text/agent-texts.ts';
import { count, label } from '../ui/text/text.ts';

/** A row shown when Chrome isn't found: a command to install one, the setting to change, the heading of the searched locations, or one of them. */
export type NoBrowserNode = { hint: 'install' } | { hint: 'chrome-path' } | { hint: 'places' } | { place: string };

/** Returns the rows below `parent`, or the top-level rows without one. */
export function noBrowserRows(places: readonly string[], parent?: NoBrowserNode): NoBrowserNode[] {
  if (!parent) {
    const rows: NoBrowserNode[] = [{ hint: 'install' }, { hint: 'chrome-path' }];
    return places.length > 0 ? [...rows, { hint: 'places' }] : rows;
  }
  return 'hint' in parent && parent.hint === 'places' ? places.map((place) => ({ place })) : [];
}

export function noBrowserItem(node: NoBrowserNode): vscode.TreeItem {
  if ('place' in node) return rowItem({ label: label(node.place, 200), tooltip: label(node.place, 1_000) });
  return rowItem(hints[node.hint]());
}

const hints = {
  places: () => ({ id: 'no-browser-places', label: l10n.t('Searched locations'), below: 'expanded' as const }),
  install: () => ({
    id: 'no-browser-install',
    label: l10n.t('Install Chrome…'),
    tooltip: l10n.t('Opens a terminal with the command for this system, or the download page'),
    icon: 'cloud-download',
    command: { command: commands.installProgram, title: l10n.t('Install Chrome'), arguments: ['chrome'] },
  }),
  'chrome-path': () => ({
    id: 'no-browser-setting',
    label: l10n.t('Set Chrome Path…'),
    icon: 'settings-gear',
    command: {
      command: 'workbench.action.openSettings',
      title: l10n.t('Set Chrome Path'),
      arguments: [`${settingsSection}.${settings.chromePath}`],
    },
  }),
};

/** A row for what an agent waits to be allowed. */
export interface RequestNode {
  requestId: string;
}

/** Returns the item of a request; its buttons answer it. */
export function requestItem(request: PermitRequest): vscode.TreeItem {
  const text = requestText(request);
  return rowItem({
    id: `request ${request.id}`,
    label: text,
    tooltip: [text, label(request.detail, 1000)].filter(Boolean).join('\n'),
    spoken: l10n.t('{0}. Allow or deny it with the actions in this row.', text),
    icon: ['question', icons.warning[1]],
    context: ['request', request.kind === 'code' && 'code'],
    command: request.sessionId
      ? {
          command: commands.openLiveView,
          title: l10n.t('Open Live View'),
          arguments: [{ sessionId: request.sessionId }],
        }
      : { command: commands.showRequest, title: l10n.t('Show Request'), arguments: [{ requestId: request.id }] },
  });
}

/** The row that holds the sessions that have ended. */
export interface EndedGroup {
  group: 'ended';
}
export const endedGroup: EndedGroup = { group: 'ended' };

export function endedGroupItem(sessions: number): vscode.TreeItem {
  return rowItem({
    id: 'ended-sessions',
    label: l10n.t('Ended'),
    description: String(sessions),
    spoken: l10n.t('Ended, {0}', count(sessions, 'session')),
    context: ['ended-sessions'],
    below: 'collapsed',
  });
}
