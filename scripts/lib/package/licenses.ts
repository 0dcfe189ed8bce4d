import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Metafile } from 'esbuild';
import { ROOT } from '../repository.mjs';

/** A package of which some code is in the product. */
export interface UsedPackage {
  name: string;
  version: string;
  /** SPDX expression. */
  license: string;
  homepage: string;
  /** The texts of its licence and notice files. */
  texts: string[];
}

interface Manifest {
  name: string;
  version: string;
  license?: string;
  homepage?: string;
  repository?: string | { url?: string };
  author?: string | { name?: string };
}

/** Packages whose files the build copies rather than bundles. */
const copied = ['playwright-core', '@vscode/codicons', '@types/node', 'undici-types'];

/** Code of other projects within the files of a package. Its licence has the text of one that another package carries. */
const contained: Record<string, { name: string; license: string; homepage: string; holder: string; textOf: string }> = {
  unpdf: {
    name: 'PDF.js',
    license: 'Apache-2.0',
    homepage: 'https://mozilla.github.io/pdf.js/',
    holder: 'Mozilla and individual contributors',
    textOf: 'playwright-core',
  },
};

const licenseFile = /^(?:licen[cs]e|copying|notice|thirdpartynotices)(?:[.-]|$)/i;

/** Returns the folders of the packages that bundles contain, from the paths of their inputs. */
export function packageFolders(metafiles: readonly Metafile[]): string[] {
  const inputs = metafiles.flatMap(({ inputs }) => Object.keys(inputs));
  // "(disabled):" marks files that the package replaces with nothing in browsers.
  const paths = inputs.filter((path) => !path.startsWith('(disabled):')).map((path) => resolve(ROOT, path));
  const folders = paths.flatMap((path) => {
    const [, folder] = /^(.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+)[\\/]/.exec(path) ?? [];
    return folder ?? [];
  });
  return [...new Set(folders)].sort();
}

/** Returns every package with code in the product, sorted by name. Throws if one has no licence text. */
export function usedPackages(metafiles: readonly Metafile[]): UsedPackage[] {
  const folders = [...packageFolders(metafiles), ...copied.map((name) => join(ROOT, 'node_modules', name))];
  const read = folders.map(readPackage);
  const packages = [...new Map(read.map((found) => [`${found.name} ${found.version}`, found])).values()];
  for (const { name } of [...packages]) {
    const part = contained[name];
    if (part) packages.push({ ...part, version: `in ${name}`, texts: [], author: part.holder });
  }
  const used = packages.map((found) =>
    found.texts.length > 0 ? found : { ...found, texts: [textFor(found, packages)] },
  );
  return used.sort(
    (one, other) => one.name.localeCompare(other.name, 'en') || one.version.localeCompare(other.version),
  );
}

type Read = UsedPackage & { author: string };

function readPackage(folder: string): Read {
  const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest;
  if (!manifest.license) throw new Error(`${manifest.name} names no licence.`);
  const { author, repository } = manifest;
  return {
    name: manifest.name,
    version: manifest.version,
    license: manifest.license,
    homepage: webAddress(typeof repository === 'string' ? repository : repository?.url) || (manifest.homepage ?? ''),
    author: (typeof author === 'string' ? author : author?.name) ?? `the authors of ${manifest.name}`,
    texts: readdirSync(folder)
      .filter((file) => licenseFile.test(file))
      .sort()
      .map((file) => readFileSync(join(folder, file), 'utf8').replaceAll('\r\n', '\n').trim()),
  };
}

function webAddress(repository = ''): string {
  const address = repository
    .replace(/^git\+/, '')
    .replace(/^(?:ssh:\/\/)?git@github\.com[:/]|^git:\/\/github\.com\//, 'https://github.com/')
    .replace(/\.git$/, '');
  return /^[\w-]+\/[\w.-]+$/.test(address)
    ? `https://github.com/${address}`
    : address.replace(/^github:/, 'https://github.com/');
}

/** The text of the same licence from another package, with this package's copyright line: some packages only name theirs. */
function textFor({ name, license, author }: Read, packages: readonly Read[]): string {
  const textOf = contained[Object.keys(contained).find((key) => contained[key]?.name === name) ?? '']?.textOf;
  const same = packages.find((other) =>
    textOf
      ? other.name === textOf
      : other.license === license && other.texts.length === 1 && /copyright/i.test(other.texts[0] ?? ''),
  );
  const [text] = same?.texts ?? [];
  if (!text) throw new Error(`${name} (${license}) has no licence text.`);
  if (textOf) return `Copyright (c) ${author}\n\n${text}`;
  const body = text.split('\n').filter((line) => !/^\s*copyright\b/i.test(line));
  return `Copyright (c) ${author.replace(/\s*<.*/, '')}\n\n${body.join('\n').trim()}`;
}

/** Returns the text of ThirdPartyNotices.txt. */
export function noticesText(packages: readonly UsedPackage[]): string {
  const rule = '-'.repeat(80);
  const sections = packages.map(({ name, version, license, homepage, texts }) =>
    [rule, `${name} ${version}`, `License: ${license}`, ...(homepage ? [homepage] : []), '', texts.join('\n\n')].join(
      '\n',
    ),
  );
  return [
    'Third-party notices',
    '',
    'Web Data contains code of the following packages. Their licenses:',
    '',
    ...sections.flatMap((section) => [section, '']),
  ].join('\n');
}
