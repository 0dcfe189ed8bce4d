import { readFileSync, statSync } from 'node:fs';
import { webhookRetryVariable, webhookSecretProblem, webhookSecretVariable } from '../../contract/webhooks.ts';

/** How deliveries are signed and tried again. */
export interface WebhookOptions {
  /** Undefined: deliveries carry no signature, unless a window gives a secret. */
  secret: string | undefined;
  /** Milliseconds from an attempt that failed to the next. */
  retryMs: readonly number[];
}

const usualRetries = '60,300,900';
const mostSeconds = 7 * 24 * 60 * 60;
const mostRetries = 20;
const largestFile = 16 * 1024;

/** Reads the secret from the environment or a file, and the retries from the environment. Throws an Error for the person. */
export function webhookOptions(secretFile: string | undefined, env: NodeJS.ProcessEnv): WebhookOptions {
  const inEnvironment = env[webhookSecretVariable];
  if (inEnvironment !== undefined && secretFile !== undefined) {
    throw new Error(`Give either --webhook-secret-file or ${webhookSecretVariable}, not both.`);
  }
  const secret = secretFile === undefined ? inEnvironment : secretIn(secretFile);
  const problem = secret === undefined ? undefined : webhookSecretProblem(secret);
  if (problem) throw new Error(`${secretFile === undefined ? webhookSecretVariable : secretFile}: ${problem}`);
  return { secret, retryMs: retries(env[webhookRetryVariable]?.trim() || usualRetries) };
}

/** A secret alone in a file, with or without the line break that editors put at the end. */
function secretIn(file: string): string {
  const stat = statSync(file, { throwIfNoEntry: false });
  if (!stat?.isFile()) throw new Error(`There is no file ${file} to read the webhook secret from.`);
  if (stat.size > largestFile) throw new Error(`${file} is too long for a webhook secret.`);
  return readFileSync(file, 'utf8').replace(/\r?\n$/, '');
}

function retries(text: string): number[] {
  if (text === 'none') return [];
  const seconds = text.split(',').map((part) => (/^\s*\d{1,6}(\.\d{1,3})?\s*$/.test(part) ? Number(part) : Number.NaN));
  if (seconds.length > mostRetries || !seconds.every((value) => value <= mostSeconds)) {
    throw new Error(
      `${webhookRetryVariable} takes up to ${mostRetries} numbers of seconds such as ${usualRetries}, or none; got "${text.slice(0, 60)}".`,
    );
  }
  return seconds.map((value) => value * 1000);
}
