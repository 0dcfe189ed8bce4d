import { existsSync, readFileSync, statSync } from 'node:fs';
import { shorten } from '../../../contract/shorten.ts';
import {
  webhookRetryVariable,
  webhookSecretProblem,
  webhookSecretVariable,
} from '../../../contract/webhooks/webhooks.ts';

/** How deliveries are signed and retried. */
export interface WebhookOptions {
  /** Undefined if deliveries carry no signature, unless a window provides a secret. */
  secret: string | undefined;
  /** Milliseconds from each failed attempt to the next. */
  retryMs: readonly number[];
}

const defaultRetries = '60,300,900';
const maxSeconds = 7 * 24 * 60 * 60;
const maxRetries = 20;
const maxFileBytes = 16 * 1024;

/** Reads the secret from the environment or a file, and the retries from the environment. Throws an error to show to the user. */
export function webhookOptions(secretFile: string | undefined, env: NodeJS.ProcessEnv): WebhookOptions {
  const inEnvironment = env[webhookSecretVariable];
  if (inEnvironment !== undefined && secretFile !== undefined) {
    throw new Error(`Set either --webhook-secret-file or ${webhookSecretVariable}, not both.`);
  }
  const secret = secretFile === undefined ? inEnvironment : secretIn(secretFile);
  const problem = secret === undefined ? undefined : webhookSecretProblem(secret);
  if (problem) throw new Error(`${secretFile === undefined ? webhookSecretVariable : shorten(secretFile)}: ${problem}`);
  return { secret, retryMs: retries(env[webhookRetryVariable]?.trim() || defaultRetries) };
}

/** Reads a secret from a file, without the line break that editors add at the end. */
function secretIn(file: string): string {
  const stat = existsSync(file) ? statSync(file) : undefined;
  if (!stat?.isFile()) throw new Error(`The webhook secret file ${shorten(file)} doesn't exist or isn't a file.`);
  if (stat.size > maxFileBytes) throw new Error(`${shorten(file)} is too large for a webhook secret.`);
  return readFileSync(file, 'utf8').replace(/\r?\n$/, '');
}

function retries(text: string): number[] {
  if (text === 'none') return [];
  const seconds = text.split(',').map((part) => (/^\s*\d{1,6}(\.\d{1,3})?\s*$/.test(part) ? Number(part) : Number.NaN));
  if (seconds.length > maxRetries || !seconds.every((value) => value <= maxSeconds)) {
    throw new Error(
      `${webhookRetryVariable} must be up to ${maxRetries} numbers of seconds, such as ${defaultRetries}, or "none". Received "${shorten(text, 60)}".`,
    );
  }
  return seconds.map((value) => value * 1000);
}
