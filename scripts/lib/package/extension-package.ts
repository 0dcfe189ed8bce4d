import { globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createVSIX } from '@vscode/vsce';
import { forDevelopers } from '../docs-index.ts';
import { copyInto, readManifest, repositoryAddress, stageBuild, writeManifest } from './stage.ts';

/** What the VSIX contains besides the build. */
const contents = [
  'docs',
  'examples',
  'media',
  'skills',
  'l10n/*.json',
  'package.nls*.json',
  'README.md',
  'CHANGELOG.md',
  'LICENSE',
];

/** Parts of the build that only the npm package uses: PostgreSQL is for services that run by themselves. */
const ofService = ['pg.cjs', 'pg-boss.cjs'];

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
  for (const name of ofService) rmSync(join(stage, 'dist', name));
  copyInto(stage, contents);
  linkOtherFiles(join(stage, 'docs'), address);
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

/**
 * Leaves out of the docs what is most of their size, pictures and the OpenAPI document, and what is for those who develop the
 * product, and links to these in the repository, as vsce does for README.md.
 */
function linkOtherFiles(docs: string, address: string): void {
  for (const name of ['images', 'openapi.json', ...forDevelopers]) rmSync(join(docs, name), { recursive: true });
  const pages = new RegExp(`\\]\\((?=${[...forDevelopers].join('|')})`, 'g');
  for (const name of globSync('*.md', { cwd: docs })) {
    const file = join(docs, name);
    const text = readFileSync(file, 'utf8').replaceAll(pages, `](${address}/blob/HEAD/docs/`);
    writeFileSync(file, text.replaceAll(/\]\((?=images\/|openapi\.json\))/g, `](${address}/raw/HEAD/docs/`));
  }
}
