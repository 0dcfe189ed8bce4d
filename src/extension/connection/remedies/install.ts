/** Loaded when something is to be installed, never at activation. */

import { accessSync, constants, readFileSync } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';
import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { distributionsIn, installationOf, type Machine, type Program } from './install-commands.ts';

/** Opens a terminal with the command that installs a program, for the user to run, or the page to download it from. */
export async function install(program: Program): Promise<void> {
  const installation = installationOf(program, thisMachine());
  if ('page' in installation) {
    await vscode.env.openExternal(vscode.Uri.parse(installation.page));
    return;
  }
  const terminal = vscode.window.createTerminal({ name: l10n.t('Web Data: Install') });
  terminal.show();
  // Without a line feed: the user reads the command and runs it.
  terminal.sendText(installation.command, false);
}

function thisMachine(): Machine {
  const { platform, env } = process;
  const folders = (env.PATH ?? '').split(delimiter).filter((folder) => isAbsolute(folder));
  const names = (program: string) =>
    platform === 'win32' ? [`${program}.exe`, `${program}.cmd`, `${program}.bat`] : [program];
  return {
    platform,
    distributions: platform === 'linux' ? distributionsIn(osRelease()) : [],
    isRoot: process.getuid?.() === 0,
    has: (program) => folders.some((folder) => names(program).some((name) => isExecutable(join(folder, name)))),
  };
}

function osRelease(): string {
  try {
    return readFileSync('/etc/os-release', 'utf8');
  } catch {
    return '';
  }
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
