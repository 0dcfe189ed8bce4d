import { execFile } from 'node:child_process';
import { cpSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Metafile } from 'esbuild';
import { ROOT } from '../repository.mjs';
import { noticesText, usedPackages } from './licenses.ts';

export interface Manifest {
  name: string;
  version: string;
  description: string;
  license: string;
  author: string;
  publisher: string;
  engines: { vscode: string };
  keywords: string[];
  repository: { type: string; url: string };
  [key: string]: unknown;
}

export const readManifest = (): Manifest => JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));

/** The web address of the repository: package.json's `repository` is the only place that names it. */
export function repositoryAddress({ repository }: Manifest): string {
  return repository.url.replace(/^git\+/, '').replace(/\.git$/, '');
}

/**
 * Makes an empty folder with the production build in dist/ and the notices of what it contains.
 * @param version what the programs say their version is
 */
export async function stageBuild(folder: string, version: string): Promise<void> {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const build = [join(ROOT, 'esbuild.mjs'), '--production', '--into', folder, '--version', version];
  await promisify(execFile)(process.execPath, build, { cwd: ROOT });
  const meta = join(folder, 'dist', 'meta.json');
  const metafiles = JSON.parse(readFileSync(meta, 'utf8')) as Metafile[];
  rmSync(meta);
  writeFileSync(join(folder, 'ThirdPartyNotices.txt'), noticesText(usedPackages(metafiles)));
}

/** Copies files and folders of the repository; patterns without a match are left out. */
export function copyInto(folder: string, patterns: readonly string[]): void {
  for (const path of patterns.flatMap((pattern) => globSync(pattern, { cwd: ROOT }))) {
    cpSync(join(ROOT, path), join(folder, path), { recursive: true });
  }
}

export function writeManifest(folder: string, manifest: object): void {
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest, undefined, 2)}\n`);
}
