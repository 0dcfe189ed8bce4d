import type * as vscode from 'vscode';

const storageKey = 'webdata.webhookSecrets';

type Secrets = Pick<vscode.SecretStorage, 'get' | 'store' | 'delete' | 'onDidChange'>;

/** What deliveries are verified with. */
export interface SecretState {
  current: string | undefined;
  /** The secret before it, which counts until the person drops it. */
  old: string | undefined;
  /** The person wants none: deliveries are taken unverified. */
  declined: boolean;
}

const none: SecretState = { current: undefined, old: undefined, declined: false };

/** The webhook secrets in the editor's secret storage. Where no keyring works they last as long as the window. */
export class WebhookSecrets {
  #secrets: Secrets;
  #warn: (text: string) => void;
  #inWindow: SecretState | undefined;

  constructor(secrets: Secrets, warn: (text: string) => void) {
    this.#secrets = secrets;
    this.#warn = warn;
  }

  async get(): Promise<SecretState> {
    if (this.#inWindow) return this.#inWindow;
    try {
      return read(await this.#secrets.get(storageKey));
    } catch (error) {
      this.#warn(`The keyring could not be read (${nameOf(error)}); webhook secrets last as long as this window.`);
      return none;
    }
  }

  /** Makes `secret` the current one; the one it replaces counts on until it is dropped. */
  async replace(secret: string): Promise<void> {
    const { current, old } = await this.get();
    const before = current === secret ? old : (current ?? old);
    await this.#keep({ current: secret, old: before, declined: false });
  }

  async dropOld(): Promise<void> {
    await this.#keep({ ...(await this.get()), old: undefined });
  }

  /** Forgets the secrets: deliveries are taken unverified. */
  async remove(): Promise<void> {
    await this.#keep({ ...none, declined: true });
  }

  /** Calls back when the secrets have changed, in whichever window. */
  onDidChange(listener: () => void): { dispose(): unknown } {
    return this.#secrets.onDidChange(({ key }) => {
      if (key === storageKey) listener();
    });
  }

  async #keep(state: SecretState): Promise<void> {
    this.#inWindow = undefined;
    try {
      await this.#secrets.store(storageKey, JSON.stringify(state));
      if ((await this.get()).current === state.current) return;
    } catch (error) {
      this.#warn(`The webhook secret could not be kept: the keyring failed (${nameOf(error)}).`);
    }
    this.#inWindow = state;
  }
}

function read(text: string | undefined): SecretState {
  if (!text) return none;
  try {
    const { current, old, declined } = JSON.parse(text) as Record<string, unknown>;
    const secret = (value: unknown) => (typeof value === 'string' && value.trim() !== '' ? value : undefined);
    return { current: secret(current), old: secret(old), declined: declined === true };
  } catch {
    return none;
  }
}

/** A keyring's error by its name alone: its message is not to be trusted with a secret. */
function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : 'unknown error';
}
