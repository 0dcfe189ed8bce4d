import * as vscode from 'vscode';
import { settings, settingsSection } from './ids.ts';

type SettingName = keyof typeof settings;

/** The types of the settings that are no texts. */
interface SettingTypes {
  startWithViews: boolean;
  maxSessions: number;
  spareBrowsers: number;
  /** Null: no limit. */
  runTimeout: number | null;
  runWorkingDirectory: 'workspaceFolder' | 'fileDirectory';
  sessionIdleMinutes: number;
  jobNotices: 'never' | 'failures' | 'all';
  revealRunResults: 'always' | 'onError' | 'never';
  inlineResults: boolean;
  webhooksPort: number;
}
type SettingType<Name extends SettingName> = Name extends keyof SettingTypes ? SettingTypes[Name] : string;

/** Returns the value of a setting. Its default is in package.json. */
export function readSetting<Name extends SettingName>(name: Name, scope?: vscode.Uri): SettingType<Name> {
  return vscode.workspace.getConfiguration(settingsSection, scope).get(settings[name]) as SettingType<Name>;
}

/** Writes a setting to the user settings, never to a workspace's. */
export async function writeSetting<Name extends SettingName>(
  name: Name,
  value: SettingType<Name> | undefined,
): Promise<void> {
  await vscode.workspace
    .getConfiguration(settingsSection)
    .update(settings[name], value, vscode.ConfigurationTarget.Global);
}

/** Turns the one setting of older versions that has a replacement into it, and removes it. */
export async function replaceOldSetting(): Promise<void> {
  const configuration = vscode.workspace.getConfiguration(settingsSection);
  const inUserSettings = (name: string) => configuration.inspect<number>(name)?.globalValue;
  const seconds = inUserSettings('session.activityTtl');
  if (typeof seconds !== 'number') return;
  if (inUserSettings(settings.sessionIdleMinutes) === undefined)
    await writeSetting('sessionIdleMinutes', Math.ceil(seconds / 60));
  await configuration.update('session.activityTtl', undefined, vscode.ConfigurationTarget.Global);
}

/** Returns the text of a setting that is no longer offered, from the user settings; empty if there is none. */
export function oldSetting(name: string): string {
  const value = vscode.workspace.getConfiguration(settingsSection).inspect<unknown>(name)?.globalValue;
  return typeof value === 'string' ? value : '';
}

/** Calls back when one of the settings changes. */
export function onSettingChanged(names: readonly SettingName[], listener: () => void): vscode.Disposable {
  return vscode.workspace.onDidChangeConfiguration((change) => {
    if (names.some((name) => change.affectsConfiguration(`${settingsSection}.${settings[name]}`))) listener();
  });
}
