import type * as vscode from 'vscode';

/** Name of the secret with the key of the configured language model server. */
const keySecret = 'webdata.languageModel.key';

type Secrets = Pick<vscode.SecretStorage, 'get' | 'store' | 'delete' | 'onDidChange'>;

/** The key of the configured language model server: in the secret storage, or in memory on a machine without a keyring. */
export class ModelKey {
  #secrets: Secrets;
  #inMemory: string | undefined;

  constructor(secrets: Secrets) {
    this.#secrets = secrets;
  }

  async get(): Promise<string | undefined> {
    if (this.#inMemory !== undefined) return this.#inMemory;
    try {
      return (await this.#secrets.get(keySecret)) || undefined;
    } catch {
      return undefined;
    }
  }

  /** Replaces the key; undefined removes it. Returns false if it is kept only until the window closes. */
  async set(key: string | undefined): Promise<boolean> {
    this.#inMemory = undefined;
    try {
      if (key === undefined) await this.#secrets.delete(keySecret);
      else await this.#secrets.store(keySecret, key);
    } catch {
      // There is no keyring: checked below.
    }
    if ((await this.get()) === key) return true;
    this.#inMemory = key;
    return key === undefined;
  }

  onDidChange(listener: () => void): vscode.Disposable {
    return this.#secrets.onDidChange(({ key }) => {
      if (key === keySecret) listener();
    });
  }
}
