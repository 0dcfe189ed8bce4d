import { chmodSync, cpSync, globSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../repository.mjs';
import { copyInto, readManifest, repositoryAddress, stageBuild, writeManifest } from './stage.ts';

/** Patterns of the parts of the build that only the extension uses. */
const ofExtension = [
  'node_modules',
  'dist/extension.cjs',
  'dist/extension-part-*.cjs',
  'dist/import-scanner.cjs',
  'dist/webhook-receiver.cjs',
  'dist/webviews',
  'dist/codicons',
  'dist/schemas',
];

const oldestNode = 24;

/** The command: says which Node.js it needs before anything that older versions can't read is loaded. */
const command = `#!/usr/bin/env node
'use strict';
if (Number(process.versions.node.split('.')[0]) < ${oldestNode}) {
  process.stderr.write(
    'web-data-service needs Node.js ${oldestNode} or later. This is ' + process.versions.node + '. Install a newer one from https://nodejs.org.\\n'
  );
  process.exit(1);
}
require('../dist/service.cjs');
`;

/**
 * Makes the folder of the npm package web-data-service: the service's build with no dependencies to install.
 * `npm pack` or `npm publish` in the folder does the rest.
 */
export async function packageService(folder: string): Promise<void> {
  const manifest = readManifest();
  const address = repositoryAddress(manifest);
  await stageBuild(folder, manifest.version);
  for (const name of globSync(ofExtension, { cwd: folder })) rmSync(join(folder, name), { recursive: true });
  copyInto(folder, ['LICENSE']);
  cpSync(join(ROOT, 'src', 'service', 'README.md'), join(folder, 'README.md'));
  mkdirSync(join(folder, 'bin'));
  writeFileSync(join(folder, 'bin', 'web-data-service.cjs'), command);
  chmodSync(join(folder, 'bin', 'web-data-service.cjs'), 0o755);
  writeManifest(folder, {
    name: 'web-data-service',
    version: manifest.version,
    description: 'The web data API on your own Chrome: browser sessions, running code in them, scraping and crawling.',
    license: manifest.license,
    repository: manifest.repository,
    homepage: `${address}#readme`,
    bugs: { url: `${address}/issues` },
    keywords: manifest.keywords,
    bin: { 'web-data-service': 'bin/web-data-service.cjs' },
    engines: { node: `>=${oldestNode}` },
    files: ['bin', 'dist', 'ThirdPartyNotices.txt'],
  });
}
