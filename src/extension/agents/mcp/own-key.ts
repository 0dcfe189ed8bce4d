import { hostname } from 'node:os';
import type * as vscode from 'vscode';
import type { EmbeddedClient } from '../../../client/client.ts';

type Secrets = Pick<vscode.SecretStorage, 'get' | 'store' | 'delete' | 'onDidChange'>;
type KeyCalls = Pick<EmbeddedClient, 'listAgentKeys' | 'createAgentKey' | 'revokeAgentKey'>;

export interface OwnAgentKey {
  id: string;
  key: string;
}

const ownKeyName = 'VS Code';

/** The key that VS Code's own agents use, one for each service; it can be revoked like those of others. */
export class OwnKey {
  #secrets: Secrets;
  #dataDirectory: () => string;
  /** The key that this window created, and whose it is. */
  #created: { secret: string; id: string } | undefined;

  constructor(secrets: Secrets, dataDirectory: () => string) {
    this.#secrets = secrets;
    this.#dataDirectory = dataDirectory;
  }

  /** Returns the key, which is created if there is none or it was revoked. */
  async get(embedded: KeyCalls): Promise<OwnAgentKey> {
    const stored = await this.#usable(embedded);
    if (stored) return await this.#keep(stored, embedded);
    const { id, key } = await embedded.createAgentKey({ body: { name: ownKeyName } });
    this.#created = { secret: this.#secret, id };
    try {
      // Another window may have created one meanwhile.
      const other = await this.#usable(embedded);
      if (other) return await this.#keep(other, embedded);
      await this.#secrets.store(this.#secret, JSON.stringify({ id, key }));
    } catch (error) {
      await this.#revokeCreated(embedded);
      throw error;
    }
    return { id, key };
  }

  /** Returns the stored key, which may have been revoked. */
  async stored(): Promise<OwnAgentKey | undefined> {
    return readKey(await this.#secrets.get(this.#secret));
  }

  /** Removes the key from the secrets, in all windows, if it has this ID: it was revoked. */
  async forget(id: string): Promise<void> {
    if ((await this.stored())?.id === id) await this.#secrets.delete(this.#secret);
  }

  /** Calls back when the stored key changes, in this or another window. */
  onDidChange(listener: () => void): vscode.Disposable {
    return this.#secrets.onDidChange(({ key }) => {
      if (key === this.#secret) listener();
    });
  }

  /** Name of the secret. In remote windows the secrets of all hosts are kept together, on the user's machine. */
  get #secret(): string {
    return `webdata.agentKey:${hostname()}:${this.#dataDirectory()}`;
  }

  async #usable(embedded: KeyCalls): Promise<OwnAgentKey | undefined> {
    const stored = await this.stored();
    if (!stored) return undefined;
    const { keys } = await embedded.listAgentKeys();
    return keys.some(({ id }) => id === stored.id) ? stored : undefined;
  }

  /** Keeps the stored key, and revokes one that this window created if another window's has replaced it. */
  async #keep(stored: OwnAgentKey, embedded: KeyCalls): Promise<OwnAgentKey> {
    if (this.#created?.secret === this.#secret && this.#created.id !== stored.id) await this.#revokeCreated(embedded);
    return stored;
  }

  async #revokeCreated(embedded: KeyCalls): Promise<void> {
    const id = this.#created?.id;
    this.#created = undefined;
    // It may have been revoked already.
    if (id !== undefined) await embedded.revokeAgentKey({ params: { keyId: id } }).catch(() => undefined);
  }
}

function readKey(text: string | undefined): OwnAgentKey | undefined {
  try {
    const { id, key } = JSON.parse(text ?? '');
    return typeof id === 'string' && typeof key === 'string' ? { id, key } : undefined;
  } catch {
    return undefined;
  }
}
