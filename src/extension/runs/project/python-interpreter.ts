import * as vscode from 'vscode';
import { messageOf } from '../../ui/text/text.ts';

/** The part of the Python extension's API that is used. */
interface PythonExtension {
  environments: {
    getActiveEnvironmentPath(resource?: vscode.Uri): { id: string; path: string };
    resolveEnvironment(environment: {
      id: string;
      path: string;
    }): Promise<{ executable: { uri?: vscode.Uri } } | undefined>;
  };
}

/** Returns the interpreter that the Python extension uses for a file, or undefined if it isn't installed or has none. */
export async function findInterpreter(resource: vscode.Uri, log: vscode.LogOutputChannel): Promise<string | undefined> {
  const extension = vscode.extensions.getExtension<PythonExtension>('ms-python.python');
  if (!extension) return undefined;
  try {
    const { environments } = await extension.activate();
    const environment = await environments.resolveEnvironment(environments.getActiveEnvironmentPath(resource));
    return environment?.executable.uri?.fsPath;
  } catch (error) {
    log.warn(`The Python extension did not name an interpreter: ${messageOf(error)}`);
    return undefined;
  }
}
