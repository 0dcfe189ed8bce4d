import * as l10n from '@vscode/l10n';
import type * as vscode from 'vscode';

const storageKey = 'webdata.webhookSecrets';

type Secrets = Pick<vscode.SecretStorage, 'get' | 'store' | 'delete' | 'onDidChange'>;

/** The secrets that deliveries are verified with. */
export interface SecretState {
  current: string | undefined;
  /** The previous secret, accepted until the user removes it. */
  old: string | undefined;
  /** The user removed the secret: deliveries are accepted without verification. */
  declined: boolean;
}

const none: SecretState = { current: undefined, old: undefined, declined: false };

/** The webhook secrets in VS Code's secret storage. If no keyring works, they are kept until the window closes. */
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
      this.#warn(
        l10n.t("Couldn't read the keyring ({0}). Webhook secrets are kept until this window closes.", nameOf(error)),
      );
      return none;
    }
  }

  /** Makes `secret` the current one. The previous one is accepted until it is removed. */
  async replace(secret: string): Promise<void> {
    const { current, old } = await this.get();
    const previous = current === secret ? old : (current ?? old);
    await this.#save({ current: secret, old: previous, declined: false });
  }

  async removeOld(): Promise<void> {
    await this.#save({ ...(await this.get()), old: undefined });
  }

  /** Removes all secrets: deliveries are accepted without verification. */
  async remove(): Promise<void> {
    await this.#save({ ...none, declined: true });
  }

  /** Calls the listener when the secrets change, in any window. */
  onDidChange(listener: () => void): { dispose(): unknown } {
    return this.#secrets.onDidChange(({ key }) => {
      if (key === storageKey) listener();
    });
  }

  async #save(state: SecretState): Promise<void> {
    this.#inWindow = undefined;
    try {
      await this.#secrets.store(storageKey, JSON.stringify(state));
      if ((await this.get()).current === state.current) return;
    } catch (error) {
      this.#warn(
        l10n.t(
          "Couldn't save the webhook secret to the keyring ({0}). It is kept until this window closes.",
          nameOf(error),
        ),
      );
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

/** The name of a keyring's error only: its message could contain the secret. */
function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : l10n.t('unknown error');
}
