import { randomBytes } from 'node:crypto';
import * as vscode from 'vscode';
import type { Webhooks } from '../window-receiver.ts';

interface Choice extends vscode.QuickPickItem {
  run(): Promise<void>;
}

/** What can be done about the webhook secret, as a list to pick from. */
export async function manageSecret(webhooks: Webhooks): Promise<void> {
  const { secrets } = webhooks;
  const { current, old } = await secrets.get();
  const choices: (Choice | undefined)[] = [
    {
      label: '$(key) Enter a Secret…',
      detail: 'The HMAC secret of the account whose deliveries are to be verified',
      run: () => enterSecret(webhooks),
    },
    {
      label: '$(refresh) Generate a New Secret',
      detail: 'The embedded service signs with it at once',
      run: () => change(webhooks, randomBytes(32).toString('base64url')),
    },
    current === undefined
      ? undefined
      : {
          label: '$(copy) Copy the Secret',
          detail: 'For a handler that verifies deliveries itself',
          run: async () => {
            await vscode.env.clipboard.writeText(current);
            vscode.window.setStatusBarMessage('$(check) Webhook secret copied. Whoever has it can sign.', 5000);
          },
        },
    old === undefined
      ? undefined
      : {
          label: '$(check) Drop the Old Secret',
          detail: 'Once every sender signs with the new one',
          run: async () => {
            await secrets.dropOld();
            await webhooks.secretsChanged();
          },
        },
    current === undefined
      ? undefined
      : {
          label: '$(trash) Remove the Secret',
          detail: 'Deliveries are taken without being verified',
          run: async () => {
            await secrets.remove();
            await webhooks.secretsChanged();
          },
        },
  ];
  const picked = await vscode.window.showQuickPick(
    choices.filter((choice) => choice !== undefined),
    { title: 'Webhook Secret', placeHolder: current === undefined ? 'There is no secret' : 'A secret is set' },
  );
  await picked?.run();
}

async function enterSecret(webhooks: Webhooks): Promise<void> {
  const { webhookSecretProblem } = await import('../../../contract/webhooks.ts');
  const entered = await vscode.window.showInputBox({
    title: 'Webhook Secret',
    prompt: 'Kept in the secret storage of VS Code, and given to the embedded service',
    password: true,
    ignoreFocusOut: true,
    validateInput: (text) => (text === '' ? undefined : webhookSecretProblem(text)),
  });
  if (entered === undefined || webhookSecretProblem(entered) !== undefined) return;
  await change(webhooks, entered);
}

async function change(webhooks: Webhooks, secret: string): Promise<void> {
  await webhooks.secrets.replace(secret);
  await webhooks.secretsChanged();
}
