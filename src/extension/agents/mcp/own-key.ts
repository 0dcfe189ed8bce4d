import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import type * as vscode from 'vscode';
import type { EmbeddedClient } from '../../../client/client.ts';
import { jsonIn } from '../../../contract/lenient-texts.ts';
import { agentKeyId } from '../../../contract/mcp/agent-key-id.ts';
import { agentKeyPrefix } from '../../../contract/mcp/mcp.ts';
import type { Secrets } from '../../ui/kept-secret.ts';

export interface OwnAgentKey {
  id: string;
  key: string;
}

/** What the key is called where keys are listed. */
export const ownKeyName = 'VS Code';

/**
 * The key that VS Code's own agents use, one for each service; it can be revoked like those of others. It is made here and
 * not by the service, which needn't run: the service stores it when an agent first connects with it.
 */
export class OwnKey {
  #secrets: Secrets;
  #dataDirectory: () => string;

  constructor(secrets: Secrets, dataDirectory: () => string) {
    this.#secrets = secrets;
    this.#dataDirectory = dataDirectory;
  }

  /** Returns the key, which is made if there is none. */
  async get(): Promise<OwnAgentKey> {
    const stored = await this.stored();
    if (stored) return stored;
    const key = agentKeyPrefix + randomBytes(32).toString('base64url');
    await this.#secrets.store(this.#secret, JSON.stringify({ id: agentKeyId(key), key }));
    // Another window may have stored one meanwhile: the last one counts, in all windows.
    return (await this.stored()) ?? { id: agentKeyId(key), key };
  }

  /** Returns the stored key, which may have been revoked. */
  async stored(): Promise<OwnAgentKey | undefined> {
    return readKey(await this.#secrets.get(this.#secret));
  }

  /** Makes the service know the key, so that it is listed and can be limited before an agent connects with it. */
  async introduce(embedded: Pick<EmbeddedClient, 'createAgentKey'>): Promise<void> {
    const stored = await this.stored();
    if (!stored) return;
    try {
      await embedded.createAgentKey({ body: { name: ownKeyName, key: stored.key } });
    } catch (error) {
      if ((error as { status?: unknown }).status !== 410) throw error;
      // It was revoked elsewhere: VS Code's agents get another one.
      await this.forget(stored.id);
    }
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
}

function readKey(text: string | undefined): OwnAgentKey | undefined {
  const { id, key } = Object(jsonIn(text ?? '')) as Record<string, unknown>;
  // Keys that a service made don't have this ID.
  return typeof key === 'string' && id === agentKeyId(key) ? { id, key } : undefined;
}
