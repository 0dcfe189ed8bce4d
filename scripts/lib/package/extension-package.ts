import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createVSIX } from '@vscode/vsce';
import { copyInto, readManifest, repositoryAddress, stageBuild, writeManifest } from './stage.ts';

/** What the VSIX contains besides the build. */
const contents = ['docs', 'media', 'l10n', 'package.nls*.json', 'README.md', 'CHANGELOG.md', 'LICENSE'];

/** Fields of package.json that only the repository needs. */
const ofRepository = ['private', 'scripts', 'devDependencies', 'optionalDependencies'];

export interface ExtensionPackageOptions {
  /** Folder to assemble the package in; emptied first. */
  stage: string;
  /** Path of the VSIX to write. */
  file: string;
  /** Instead of the version in package.json. */
  version?: string;
  /** The VS Code versions it supports, instead of those in package.json. */
  engine?: string;
}

/** Writes a VSIX with the production build. It has no native part, so one file serves all platforms. */
export async function packageExtension({ stage, file, version, engine }: ExtensionPackageOptions): Promise<void> {
  const manifest = readManifest();
  const address = repositoryAddress(manifest);
  await stageBuild(stage, version ?? manifest.version);
  copyInto(stage, contents);
  const kept = Object.entries(manifest).filter(([field]) => !ofRepository.includes(field));
  writeManifest(stage, {
    ...Object.fromEntries(kept),
    version: version ?? manifest.version,
    engines: { vscode: engine ?? manifest.engines.vscode },
    homepage: `${address}#readme`,
    bugs: { url: `${address}/issues` },
    // Part of the package: VS Code finds TypeScript plugins only there.
    dependencies: { 'web-data-typescript-plugin': '0.0.0' },
  });
  mkdirSync(dirname(file), { recursive: true });
  // Without this file vsce warns: the folder holds only what is to be packaged.
  writeFileSync(join(stage, '.vscodeignore'), '');
  await createVSIX({ cwd: stage, packagePath: file });
}
