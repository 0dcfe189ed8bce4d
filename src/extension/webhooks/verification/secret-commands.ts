import { randomBytes } from 'node:crypto';
import * as vscode from 'vscode';
import type { WindowReceiver } from '../window-receiver.ts';

interface Choice extends vscode.QuickPickItem {
  run(): Promise<void>;
}

/** Shows the actions for the webhook secret in a quick pick. */
export async function manageSecret(receiver: WindowReceiver): Promise<void> {
  const { secrets } = receiver;
  const { current, old } = await secrets.get();
  const choices: (Choice | undefined)[] = [
    {
      label: '$(key) Enter a Secret…',
      detail: 'The HMAC secret of the account that sends the deliveries',
      run: () => enterSecret(receiver),
    },
    {
      label: '$(refresh) Generate a New Secret',
      detail: 'The embedded service signs with it immediately',
      run: () => change(receiver, randomBytes(32).toString('base64url')),
    },
    current === undefined
      ? undefined
      : {
          label: '$(copy) Copy the Secret',
          detail: 'For a handler that verifies deliveries itself',
          run: async () => {
            await vscode.env.clipboard.writeText(current);
            vscode.window.setStatusBarMessage(
              '$(check) Webhook secret copied. Anyone who has it can sign deliveries.',
              5000,
            );
          },
        },
    old === undefined
      ? undefined
      : {
          label: '$(check) Remove the Old Secret',
          detail: 'When every sender signs with the new one',
          run: async () => {
            await secrets.removeOld();
            await receiver.secretsChanged();
          },
        },
    current === undefined
      ? undefined
      : {
          label: '$(trash) Remove the Secret',
          detail: 'Deliveries are then accepted without verification',
          run: async () => {
            await secrets.remove();
            await receiver.secretsChanged();
          },
        },
  ];
  const picked = await vscode.window.showQuickPick(
    choices.filter((choice) => choice !== undefined),
    { title: 'Webhook Secret', placeHolder: current === undefined ? 'No secret is set' : 'A secret is set' },
  );
  await picked?.run();
}

async function enterSecret(receiver: WindowReceiver): Promise<void> {
  const { webhookSecretProblem } = await import('../../../contract/webhooks.ts');
  const entered = await vscode.window.showInputBox({
    title: 'Webhook Secret',
    prompt: 'Stored in VS Code secret storage and shared with the embedded service',
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
