import type * as vscode from 'vscode';

export type Secrets = Pick<vscode.SecretStorage, 'get' | 'store' | 'delete' | 'onDidChange'>;
type OnFailure = (what: 'read' | 'store', error: unknown) => void;

export type KeptSecret = ReturnType<typeof keptSecret>;

/** A secret in VS Code's secret storage. If no keyring works, it is kept until the window closes. */
export function keptSecret(secrets: Secrets, name: string, onFailure: OnFailure = () => undefined) {
  let inWindow: string | undefined;

  async function get(): Promise<string | undefined> {
    if (inWindow !== undefined) return inWindow;
    try {
      return (await secrets.get(name)) || undefined;
    } catch (error) {
      onFailure('read', error);
      return undefined;
    }
  }

  /** Replaces the secret; undefined removes it. Returns false if it is kept only until the window closes. */
  async function set(text: string | undefined): Promise<boolean> {
    inWindow = undefined;
    try {
      if (text === undefined) await secrets.delete(name);
      else await secrets.store(name, text);
      if ((await get()) === text) return true;
    } catch (error) {
      onFailure('store', error);
    }
    inWindow = text;
    return text === undefined;
  }

  /** Calls back when the secret changes, in any window. */
  function onDidChange(listener: () => void): vscode.Disposable {
    return secrets.onDidChange(({ key }) => {
      if (key === name) listener();
    });
  }

  return { get, set, onDidChange };
}
