import type * as vscode from 'vscode';

export type Secrets = Pick<vscode.SecretStorage, 'get' | 'store' | 'delete' | 'onDidChange'>;
type OnFailure = (what: 'read' | 'store', error: unknown) => void;

/** A secret in VS Code's secret storage. If no keyring works, it is kept until the window closes. */
export class KeptSecret {
  #secrets: Secrets;
  #name: string;
  #onFailure: OnFailure;
  #inWindow: string | undefined;

  /** @param name of the secret in the storage */
  constructor(secrets: Secrets, name: string, onFailure: OnFailure = () => undefined) {
    this.#secrets = secrets;
    this.#name = name;
    this.#onFailure = onFailure;
  }

  async get(): Promise<string | undefined> {
    if (this.#inWindow !== undefined) return this.#inWindow;
    try {
      return (await this.#secrets.get(this.#name)) || undefined;
    } catch (error) {
      this.#onFailure('read', error);
      return undefined;
    }
  }

  /** Replaces the secret; undefined removes it. Returns false if it is kept only until the window closes. */
  async set(text: string | undefined): Promise<boolean> {
    this.#inWindow = undefined;
    try {
      if (text === undefined) await this.#secrets.delete(this.#name);
      else await this.#secrets.store(this.#name, text);
      if ((await this.get()) === text) return true;
    } catch (error) {
      this.#onFailure('store', error);
    }
    this.#inWindow = text;
    return text === undefined;
  }

  /** Calls back when the secret changes, in any window. */
  onDidChange(listener: () => void): vscode.Disposable {
    return this.#secrets.onDidChange(({ key }) => {
      if (key === this.#name) listener();
    });
  }
}
