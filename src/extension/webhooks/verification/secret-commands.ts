import { randomBytes } from 'node:crypto';
import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { say } from '../../ui/dialogs.ts';
import type { WindowReceiver } from '../window-receiver.ts';

interface Choice extends vscode.QuickPickItem {
  run(): Promise<void>;
}

/** Shows the actions for the webhook secret in a quick pick. */
export async function manageSecret(receiver: WindowReceiver): Promise<void> {
  const { secrets } = receiver;
  const { current, old } = await secrets.get();
  const remove = async (removing: Promise<void>) => {
    await removing;
    await receiver.secretsChanged();
  };
  const choices: (Choice | undefined | '')[] = [
    {
      label: l10n.t('$(key) Enter a Secret…'),
      detail: l10n.t('The HMAC secret of the account that sends the deliveries'),
      run: () => enterSecret(receiver),
    },
    {
      label: l10n.t('$(refresh) Generate a New Secret'),
      detail: l10n.t('The embedded service signs with it immediately'),
      run: () => change(receiver, randomBytes(32).toString('base64url')),
    },
    current && {
      label: l10n.t('$(copy) Copy the Secret'),
      detail: l10n.t('For a handler that verifies deliveries itself'),
      run: async () => {
        await vscode.env.clipboard.writeText(current);
        say(l10n.t('$(check) Webhook secret copied. Anyone who has it can sign deliveries.'));
      },
    },
    old && {
      label: l10n.t('$(check) Remove the Old Secret'),
      detail: l10n.t('When every sender signs with the new one'),
      run: () => remove(secrets.removeOld()),
    },
    current && {
      label: l10n.t('$(trash) Remove the Secret'),
      detail: l10n.t('Deliveries are then accepted without verification'),
      run: () => remove(secrets.remove()),
    },
  ];
  const offered = choices.filter((choice) => typeof choice === 'object');
  const picked = await vscode.window.showQuickPick(offered, {
    title: l10n.t('Webhook Secret'),
    placeHolder: current === undefined ? l10n.t('No secret is set') : l10n.t('A secret is set'),
  });
  await picked?.run();
}

async function enterSecret(receiver: WindowReceiver): Promise<void> {
  const { webhookSecretProblem } = await import('../../../contract/webhooks/webhooks.ts');
  const entered = await vscode.window.showInputBox({
    title: l10n.t('Webhook Secret'),
    prompt: l10n.t('Stored in VS Code secret storage and shared with the embedded service'),
    password: true,
    ignoreFocusOut: true,
    validateInput: (text) => (text === '' ? undefined : webhookSecretProblem(text)),
  });
  if (entered === undefined || webhookSecretProblem(entered) !== undefined) return;
  await change(receiver, entered);
}

async function change(receiver: WindowReceiver, secret: string): Promise<void> {
  await receiver.secrets.replace(secret);
  await receiver.secretsChanged();
}
