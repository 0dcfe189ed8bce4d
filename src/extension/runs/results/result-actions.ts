import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { Language } from '../../../contract/sessions/execution.ts';
import type { Checked } from '../../../webviews/common/messages.ts';
import type { Requests, SourceLocation } from '../../../webviews/run-results/messages.ts';
import { UserError } from '../../ui/commands.ts';
import { askFile, confirm, openNew, saveText } from '../../ui/dialogs.ts';
import { languageIds } from '../../ui/ids.ts';
import { label } from '../../ui/text/text.ts';
import type { Run } from '../run-store.ts';

/** Opens the document that a run's code is from, or an agent's code in a new one. */
export async function goToCode(run: Run): Promise<void> {
  const uri = documentUri(run);
  if (run.code !== undefined) await openNew(languageIds[run.language as Language] ?? 'javascript', run.code);
  else if (uri) await show(uri, new vscode.Position(run.line ?? 0, 0));
}

/** Opens a position that the output of a run names, in the run's file or in another file of the workspace. */
export async function revealLocation(run: Run, { path, line, column }: SourceLocation): Promise<void> {
  const uri = path === undefined ? documentUri(run) : await find(run, path);
  if (!uri)
    throw new UserError(
      path === undefined
        ? l10n.t("The file of this run isn't in this workspace. Open its folder, then try again.")
        : l10n.t("{0} isn't in this workspace. Open its folder, then try again.", label(path, 200)),
    );
  await show(uri, new vscode.Position(line - 1, column - 1));
}

async function show(uri: vscode.Uri, position: vscode.Position): Promise<void> {
  const selection = new vscode.Range(position, position);
  // The panel may be as tall as the editors, so the line is shown in the middle.
  const viewColumn = columnOf(uri);
  const editor = await vscode.window.showTextDocument(uri, { selection, ...(viewColumn && { viewColumn }) });
  editor.revealRange(selection, vscode.TextEditorRevealType.InCenterIfOutsideViewport);
}

/** Returns the column in which a file is open: it isn't opened again over another view, such as the live view, that has the focus. */
function columnOf(uri: vscode.Uri): vscode.ViewColumn | undefined {
  const groups = vscode.window.tabGroups.all.filter(({ tabs }) =>
    tabs.some(({ input }) => input instanceof vscode.TabInputText && input.uri.toString() === uri.toString()),
  );
  return (groups.find(({ isActive }) => isActive) ?? groups[0])?.viewColumn;
}

/** Finds a file that a stack names: by its absolute path, or relative to the run's file or a workspace folder. */
async function find(run: Run, path: string): Promise<vscode.Uri | undefined> {
  const isAbsolute = /^(?:file:\/\/|[\\/]|[A-Za-z]:[\\/])/.test(path);
  const candidates = isAbsolute ? [absoluteUri(run, path)] : relativeUris(run, path);
  for (const uri of candidates) {
    if (!isNear(run, uri)) continue;
    const stat = await vscode.workspace.fs.stat(uri).then(undefined, () => undefined);
    if (stat?.type !== undefined && stat.type & vscode.FileType.File) return uri;
  }
  return undefined;
}

function absoluteUri(run: Run, path: string): vscode.Uri {
  const file = path.startsWith('file://') ? vscode.Uri.parse(path) : vscode.Uri.file(path);
  // On a remote machine, files have another scheme.
  const own = documentUri(run);
  return own && own.scheme !== 'untitled' ? own.with({ path: file.path }) : file;
}

function relativeUris(run: Run, path: string): vscode.Uri[] {
  const parts = path.split(/[\\/]/);
  const own = documentUri(run);
  const folders = (vscode.workspace.workspaceFolders ?? []).map(({ uri }) => uri);
  const bases = own && own.scheme !== 'untitled' ? [vscode.Uri.joinPath(own, '..'), ...folders] : folders;
  return bases.map((base) => vscode.Uri.joinPath(base, ...parts));
}

/** Only files of the workspace and those beside the run's file: other text may look like a path. */
function isNear(run: Run, uri: vscode.Uri): boolean {
  if (vscode.workspace.getWorkspaceFolder(uri)) return true;
  const own = documentUri(run);
  return own !== undefined && uri.path.startsWith(`${vscode.Uri.joinPath(own, '..').path}/`);
}

function documentUri({ document }: Run): vscode.Uri | undefined {
  return document === undefined ? undefined : vscode.Uri.parse(document, true);
}

const filters = { csv: { CSV: ['csv'] }, json: { JSON: ['json'] } };

/** Asks for a file and saves a result there. If the result is incomplete, says so first. */
export async function saveResult(run: Run, params: Checked<Requests['save']>): Promise<void> {
  const { format, partial } = params;
  const question = l10n.t('Save only part of the result?');
  if (partial !== undefined && !(await confirm(question, l10n.t('Save This Part'), partial))) return;
  const name = `${(run.file ?? 'result').replace(/\.\w+$/, '')}.${format}`;
  const title = format === 'csv' ? l10n.t('Save as CSV') : l10n.t('Save as JSON');
  const target = await askFile(title, name, filters[format]);
  if (!target) return;
  const text = params.format === 'json' ? params.text : (await import('../../ui/text/csv.ts')).csvOf(params.rows);
  await saveText(target, text);
}
