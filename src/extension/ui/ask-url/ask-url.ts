import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { UserError } from '../commands.ts';
import { settled } from '../dialogs.ts';
import type { CommandId } from '../ids.ts';
import { label, messageOf, shortAddress } from '../text/text.ts';
import { offeredUrl } from './offered-url.ts';

/** What was typed and led to nothing yet, by the title of the input. It is offered when the input opens again. */
const kept = new Map<string, string>();

interface UrlRequest {
  title: string;
  /** The command that asks. It is offered again when the URL doesn't work. */
  command: CommandId;
  /** The argument of the command: a URL, if it is known, or `editTyped`. */
  argument?: unknown;
  /** A URL to offer first: that of the page that is open. */
  offered?: string | undefined;
  /** Options of what is done with the URL, behind a button of the input. */
  options?: { readonly summary: string | undefined; ask(): Promise<void> };
}

/** The argument of a command that opens its input with what was typed last. */
const editTyped = 'edit';

/**
 * Asks for a URL and uses it. If that fails, the error offers to edit the URL, and to use http where a site doesn't
 * speak TLS. What was typed stays until it worked. Undefined if the user canceled.
 */
export async function withUrl<Result>(
  request: UrlRequest,
  use: (url: string) => Promise<Result>,
): Promise<Result | undefined> {
  const { title, command, argument } = request;
  const isUrl = typeof argument === 'string' && argument !== editTyped;
  const url = isUrl ? argument : await askUrl(request, argument === editTyped);
  if (url === undefined) return undefined;
  try {
    const result = await use(url);
    kept.delete(title);
    return result;
  } catch (error) {
    if (error instanceof vscode.CancellationError) throw error;
    if (!kept.has(title)) kept.set(title, url);
    if (error instanceof UserError && error.actions.length > 0) throw error;
    const http = isRefusal(error) ? undefined : await (await import('./http-instead.ts')).httpInstead(url);
    const edit = { title: l10n.t('Edit URL'), command, args: [editTyped] };
    if (http === undefined) throw new UserError(messageOf(error), [edit]);
    throw new UserError(noTlsSentence(url), [{ title: useHttp(http), command, args: [http] }, edit]);
  }
}

/** Whether the server refused the request itself, so that the scheme of the URL isn't the reason. */
function isRefusal(error: unknown): boolean {
  const { status } = error as { status?: unknown };
  return typeof status === 'number' && status >= 400 && status < 500 && status !== 408;
}

/** Returns the sentence for a site that answers over HTTP only. */
export function noTlsSentence(url: string): string {
  return l10n.t("{0} doesn't support HTTPS, but answers over HTTP.", new URL(url).host);
}

/** Returns the title of the button that uses the http address of a site. */
export function useHttp(url: string): string {
  return l10n.t('Use http://{0}', shortAddress(url, 60));
}

/**
 * Asks for a URL. Offers that of the open page and that under the cursor; any other can be typed or pasted. The clipboard is
 * never read: in a browser, VS Code then asks for permission or shows an error.
 */
async function askUrl(request: UrlRequest, editing: boolean): Promise<string | undefined> {
  const { title, options } = request;
  const { typedUrl } = await import('./typed-url.ts');
  const pick = vscode.window.createQuickPick<UrlItem>();
  pick.title = options?.summary === undefined ? title : `${title} · ${options.summary}`;
  pick.placeholder = 'example.com';
  if (options) pick.buttons = [{ iconPath: new vscode.ThemeIcon('settings-gear'), tooltip: l10n.t('Options') }];
  let wantsOptions = false;
  const typedBefore = kept.get(title);
  if (editing) pick.value = typedBefore ?? '';
  const underCursor = offeredUrl(atCursor());
  const openPage = request.offered === underCursor ? undefined : request.offered;
  const items: UrlItem[] = [
    { url: openPage, description: l10n.t('the open page') },
    { url: underCursor, description: l10n.t('under the cursor') },
  ].flatMap(({ url, description }) => (url ? [{ label: label(url, 200), description, url, alwaysShow: true }] : []));
  if (typedBefore !== undefined) {
    const description = l10n.t('typed before');
    items.unshift({ label: label(typedBefore, 200), description, alwaysShow: true, typed: typedBefore });
  }
  const show = () => {
    const typed = pick.value.trim();
    const url = typedUrl(typed);
    const typedItems = typed === '' ? [] : [typedItem(typed, url)];
    const isTyped = (item: UrlItem) => (item.url !== undefined && item.url === url) || item.typed === typed;
    pick.items = [...typedItems, ...items.filter((item) => !isTyped(item))];
  };
  show();
  pick.onDidChangeValue(show);
  const accept = (item: UrlItem | undefined) => {
    // A URL that was pasted and accepted at once has no row yet.
    const url = item?.url ?? typedUrl(item?.typed ?? pick.value);
    if (!url && item?.typed) pick.value = item.typed;
    return url;
  };
  const url = await settled(pick, accept, (settle) => {
    pick.onDidTriggerButton(() => {
      wantsOptions = true;
      settle(undefined);
    });
  });
  if (pick.value.trim() !== '') kept.set(title, pick.value.trim());
  if (!wantsOptions) return url;
  await options?.ask();
  return await askUrl(request, true);
}

/** A row of the input: a URL to use, or a text to edit. */
interface UrlItem extends vscode.QuickPickItem {
  url?: string;
  typed?: string;
}

function typedItem(typed: string, url: string | undefined): UrlItem {
  return url
    ? { label: label(url, 200), alwaysShow: true, url }
    : { label: label(typed, 200), description: l10n.t("isn't an http or https URL"), alwaysShow: true };
}

function atCursor(): { line: string; character: number; selection: string } {
  const editor = vscode.window.activeTextEditor;
  if (!editor) return { line: '', character: 0, selection: '' };
  const { selection, document } = editor;
  return {
    line: document.lineAt(selection.active.line).text.slice(0, 20_000),
    character: selection.active.character,
    selection: selection.isSingleLine ? document.getText(selection) : '',
  };
}
