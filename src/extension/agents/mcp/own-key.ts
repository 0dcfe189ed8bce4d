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
export function ownKey(secrets: Secrets, dataDirectory: () => string) {
  /** In remote windows the secrets of all hosts are kept together, on the user's machine. */
  const secret = () => `webdata.agentKey:${hostname()}:${dataDirectory()}`;

  /** Returns the key, which is made if there is none. */
  async function get(): Promise<OwnAgentKey> {
    const known = await stored();
    if (known) return known;
    const key = agentKeyPrefix + randomBytes(32).toString('base64url');
    await secrets.store(secret(), JSON.stringify({ id: agentKeyId(key), key }));
    // Another window may have stored one meanwhile: the last one counts, in all windows.
    return (await stored()) ?? { id: agentKeyId(key), key };
  }

  /** Returns the stored key, which may have been revoked. */
  async function stored(): Promise<OwnAgentKey | undefined> {
    return readKey(await secrets.get(secret()));
  }

  /** Makes the service know the key, so that it is listed and can be limited before an agent connects with it. */
  async function introduce(embedded: Pick<EmbeddedClient, 'createAgentKey'>): Promise<void> {
    const known = await stored();
    if (!known) return;
    try {
      await embedded.createAgentKey({ body: { name: ownKeyName, key: known.key } });
    } catch (error) {
      if ((error as { status?: unknown }).status !== 410) throw error;
      // It was revoked elsewhere: VS Code's agents get another one.
      await forget(known.id);
    }
  }

  /** Removes the key from the secrets, in all windows, if it has this ID: it was revoked. */
  async function forget(id: string): Promise<void> {
    if ((await stored())?.id === id) await secrets.delete(secret());
  }

  /** Calls back when the stored key changes, in this or another window. */
  function onDidChange(listener: () => void): vscode.Disposable {
    return secrets.onDidChange(({ key }) => {
      if (key === secret()) listener();
    });
  }

  return { get, stored, introduce, forget, onDidChange };
}

function readKey(text: string | undefined): OwnAgentKey | undefined {
  const { id, key } = Object(jsonIn(text ?? '')) as Record<string, unknown>;
  // Keys that a service made don't have this ID.
  return typeof key === 'string' && id === agentKeyId(key) ? { id, key } : undefined;
}
