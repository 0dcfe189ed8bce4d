import { access } from 'node:fs/promises';
import { join } from 'node:path';
import * as vscode from 'vscode';
import { readSetting } from '../ui/settings.ts';

/** Returns the folder in which the embedded service keeps its data. */
export function dataDirectory({ globalStorageUri }: Pick<vscode.ExtensionContext, 'globalStorageUri'>): string {
  return readSetting('dataDirectory') || vscode.Uri.joinPath(globalStorageUri, 'service').fsPath;
}

/** Whether a service has left a discovery file in its data directory. It removes the file when it stops, unless it is killed. */
export async function serviceMayRun(folder: string): Promise<boolean> {
  return await access(join(folder, 'service.json')).then(
    () => true,
    () => false,
  );
}
