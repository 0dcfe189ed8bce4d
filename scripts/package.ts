// `npm run package [-- extension|service]` makes what is published, in dist-package/: the VSIX and the npm package web-data-service.
import { statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { currentExtension } from './lib/package/current-extension.ts';
import { packageService } from './lib/package/service-package.ts';
import { PACKAGE_DIR, ROOT } from './lib/repository.mjs';

const wanted = process.argv.slice(2);
const unknown = wanted.find((name) => !['extension', 'service'].includes(name));
if (unknown !== undefined) {
  console.error(`package: unknown argument "${unknown}". Usage: npm run package [-- extension|service]`);
  process.exit(1);
}

if (wanted.length === 0 || wanted.includes('extension')) {
  const file = await currentExtension();
  console.log(`package: ${relative(ROOT, file)} (${(statSync(file).size / 1e6).toFixed(2)} MB)`);
}
if (wanted.length === 0 || wanted.includes('service')) {
  const folder = join(PACKAGE_DIR, 'service');
  await packageService(folder);
  console.log(`package: ${relative(ROOT, folder)}, ready for "npm pack" or "npm publish"`);
}
