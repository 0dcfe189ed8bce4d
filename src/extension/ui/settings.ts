import * as vscode from 'vscode';
import { settings, settingsSection } from './ids.ts';

type SettingName = keyof typeof settings;

interface SettingTypes {
  serverBaseUrl: string;
  chromePath: string;
  dataDirectory: string;
  startWithViews: boolean;
  pythonPath: string;
  agentBrowserPath: string;
  maxSessions: number;
  spareBrowsers: number;
  browserEndpoint: string;
  runTimeout: number;
  runWorkingDirectory: 'workspaceFolder' | 'fileDirectory';
  runEnvFile: string;
  /** Null: the server default. */
  sessionTtl: number | null;
  sessionActivityTtl: number | null;
  sessionIdleMinutes: number;
  sessionProfile: string;
  sessionSaveChanges: boolean;
  sessionLiveView: boolean;
  sessionExpiryWarning: boolean;
  viewsAutoRefresh: boolean;
  viewsShowTimeLeft: boolean;
  promptTimeout: number;
  languageModelBaseUrl: string;
  languageModelName: string;
  searchEndpoint: string;
  revealRunResults: 'always' | 'onError' | 'never';
  cellCodeLens: boolean;
  inlineResults: boolean;
  webhooksPort: number;
  webhooksPublicUrl: string;
  webhooksKeepDeliveries: number;
  webhooksKeepDays: number;
}

/** Returns the value of a setting. Its default is in package.json. */
export function readSetting<Name extends SettingName>(name: Name, scope?: vscode.Uri): SettingTypes[Name] {
  return vscode.workspace.getConfiguration(settingsSection, scope).get(settings[name]) as SettingTypes[Name];
}

/** Writes a setting to the user settings, never to a workspace's. */
export async function writeSetting<Name extends SettingName>(
  name: Name,
  value: SettingTypes[Name] | undefined,
): Promise<void> {
  await vscode.workspace
    .getConfiguration(settingsSection)
    .update(settings[name], value, vscode.ConfigurationTarget.Global);
}

/** Calls back when one of the settings changes. */
export function onSettingChanged(names: readonly SettingName[], listener: () => void): vscode.Disposable {
  return vscode.workspace.onDidChangeConfiguration((change) => {
    if (names.some((name) => change.affectsConfiguration(`${settingsSection}.${settings[name]}`))) listener();
  });
}
