import { globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createVSIX } from '@vscode/vsce';
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
  linkLargeFiles(join(stage, 'docs'), `${address}/raw/HEAD/docs`);
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

/** Leaves the pictures and the OpenAPI document out, which are most of the size of the docs, and links to those in the repository, as vsce does for README.md. */
function linkLargeFiles(docs: string, address: string): void {
  rmSync(join(docs, 'images'), { recursive: true });
  rmSync(join(docs, 'openapi.json'));
  for (const name of globSync('*.md', { cwd: docs })) {
    const file = join(docs, name);
    writeFileSync(file, readFileSync(file, 'utf8').replaceAll(/\]\((?=images\/|openapi\.json\))/g, `](${address}/`));
  }
}
