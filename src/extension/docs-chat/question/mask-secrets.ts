import { isUuid } from '../../ui/text/text.ts';

const masked = '•••';

/** Masks values that look like keys, tokens and passwords, for text that is put in the question box or saved. */
export function maskSecrets(text: string): string {
  return text
    .replace(/\b(bearer|basic)\s+[\w.~+/=-]{8,}/gi, `$1 ${masked}`)
    .replace(
      /((?:api[-_ ]?key|secret|token|password|passwd|pwd)["']?\s*[:=]\s*)(?:"[^"\n]+"|'[^'\n]+'|[^\s"',;)}]+)/gi,
      `$1${masked}`,
    )
    .replace(/([a-z][a-z0-9+.-]*:\/\/)[^\s/@:]+:[^\s/@]+@/gi, `$1${masked}@`)
    .replace(/\b(?:sk|pk|fc|ghp|gho|xox[abp]|whsec|AKIA)[-_]?[A-Za-z0-9_-]{16,}/g, masked)
    .replace(/[A-Za-z0-9_-]{32,}/g, (run) => (isUuid(run) || !/\d/.test(run) || !/[A-Za-z]/.test(run) ? run : masked));
}
