import { access } from 'node:fs/promises';
import { join } from 'node:path';
import * as vscode from 'vscode';
import { oldSetting, readSetting } from '../../ui/settings.ts';

/** Settings that take effect when the embedded service starts. */
export const startSettings = ['chromePath', 'pythonPath', 'maxSessions', 'spareBrowsers'] as const;

/** Returns the current settings for the next start of the embedded service. */
export function serviceTuning() {
  return {
    /** Path of the Chrome to use; empty to let the service find one. */
    chromePath: readSetting('chromePath'),
    pythonPath: readSetting('pythonPath').trim(),
    agentBrowserPath: process.env.WEBDATA_AGENT_BROWSER ? '' : oldSetting('embedded.agentBrowserPath').trim(),
    maxSessions: readSetting('maxSessions'),
    spareBrowsers: readSetting('spareBrowsers'),
  };
}

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
