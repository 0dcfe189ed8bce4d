import * as l10n from '@vscode/l10n';
import { jsonIn } from '../../../contract/lenient-texts.ts';
import { type KeptSecret, keptSecret, type Secrets } from '../../ui/kept-secret.ts';

const storageKey = 'webdata.webhookSecrets';

/** The secrets that deliveries are verified with. */
export type SecretState = ReturnType<typeof read>;

const none: SecretState = { current: undefined, old: undefined, declined: false };

/** The webhook secrets of all windows. If no keyring works, they are kept until the window closes. */
export class WebhookSecrets {
  #kept: KeptSecret;

  constructor(secrets: Secrets, warn: (text: string) => void) {
    this.#kept = keptSecret(secrets, storageKey, (what, error) =>
      warn(
        what === 'read'
          ? l10n.t("Couldn't read the keyring ({0}). Webhook secrets are kept until this window closes.", nameOf(error))
          : l10n.t(
              "Couldn't save the webhook secret to the keyring ({0}). It is kept until this window closes.",
              nameOf(error),
            ),
      ),
    );
  }

  async get(): Promise<SecretState> {
    return read(await this.#kept.get());
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
    return this.#kept.onDidChange(listener);
  }

  async #save(state: SecretState): Promise<void> {
    await this.#kept.set(JSON.stringify(state));
  }
}

function read(text: string | undefined) {
  const { current, old, declined } = Object(jsonIn(text ?? '')) as Record<string, unknown>;
  const secret = (value: unknown) => (typeof value === 'string' && value.trim() !== '' ? value : undefined);
  return {
    current: secret(current),
    /** The previous secret, accepted until the user removes it. */
    old: secret(old),
    /** The user removed the secret: deliveries are accepted without verification. */
    declined: declined === true,
  };
}

/** The name of a keyring's error only: its message could contain the secret. */
function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : l10n.t('unknown error');
}
