import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fingerprint, isStamped, stamp } from '../fingerprint.mjs';
import { oneAtATime } from '../one-at-a-time.ts';
import { PACKAGE_DIR, ROOT } from '../repository.mjs';
import { packageExtension } from './extension-package.ts';
import { readManifest } from './stage.ts';

const inputs = [
  ...['src', 'docs', 'media', 'skills', 'l10n', 'scripts/lib', 'esbuild.mjs', 'package.json', 'package-lock.json'],
  ...['package.nls.json', 'package.nls.zh-cn.json', 'README.md', 'CHANGELOG.md', 'LICENSE'],
];

/**
 * Returns the VSIX of this source, and makes it first if it is out of date.
 * @param version instead of the one in package.json
 */
export async function currentExtension(version = readManifest().version): Promise<string> {
  const file = join(PACKAGE_DIR, `web-data-${version}.vsix`);
  const stampFile = `${file}.inputs`;
  const wanted = fingerprint(inputs.map((name) => join(ROOT, name)));
  return await oneAtATime(`${file}.lock`, async () => {
    if (existsSync(file) && isStamped(stampFile, wanted)) return file;
    await packageExtension({ stage: join(PACKAGE_DIR, `extension-${version}`), file, version });
    stamp(stampFile, wanted);
    return file;
  });
}
