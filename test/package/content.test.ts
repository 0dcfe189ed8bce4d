import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { globSync, readdirSync, readFileSync, realpathSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import type { Metafile } from 'esbuild';
import { currentExtension } from '../../scripts/lib/package/current-extension.ts';
import { repository, temporaryFolder } from '../harness/folders.ts';
import { readZip } from '../harness/zip.ts';

const prefix = 'extension/';
/** Folders of the repository that are packaged as they are. */
const asTheyAre = ['docs/**/*', 'examples/**/*', 'media/**/*', 'skills/**/*', 'l10n/*.json'];

describe('the VSIX', () => {
  let file: string;
  let entries: Map<string, () => Buffer>;
  const text = (name: string) =>
    entries
      .get(prefix + name)?.()
      .toString('utf8') ?? '';
  /** Files that are loaded with this one: `import()` became a `require` within `then`. */
  function loadedAtStart(name: string, found = new Set<string>()): Set<string> {
    if (found.has(name)) return found;
    found.add(name);
    const atOnce = text(`dist/${name}`).replaceAll(/\.then\(\(\) ?=> ?[^)]*?require\("[^"]+"\)/g, '');
    for (const [, part = ''] of atOnce.matchAll(/require\("\.\/([^"]+)"\)/g)) loadedAtStart(part, found);
    return found;
  }
  before(async () => {
    file = await currentExtension();
    entries = readZip(file);
  });

  it('contains what is expected, and nothing else (EXT-17)', () => {
    const inRepository = globSync([...asTheyAre, 'package.nls*.json'], {
      cwd: repository,
      exclude: ['docs/images/**', 'docs/openapi.json', 'docs/architecture.md', 'docs/performance.md'],
    }).filter((name) => statSync(join(repository, name)).isFile());
    const listed = readFileSync(join(repository, 'test', 'package', 'vsix-files.txt'), 'utf8')
      .trim()
      .split('\n');
    const expected = [...listed, ...inRepository.map((name) => prefix + name)].sort();
    // The parts of the extension have hashes in their names, which change with the source.
    const found = [...entries.keys()].map((name) => name.replace(/-[A-Z0-9]{8}\.cjs$/, '-*.cjs'));
    assert.deepEqual([...new Set(found)].sort(), expected);
  });

  it('is smaller than 5.5 MB', () => {
    assert.ok(statSync(file).size < 5.5e6, `${statSync(file).size} bytes`);
  });

  it('says what to use with PostgreSQL, whose driver only the npm package contains', async () => {
    const folder = temporaryFolder();
    for (const name of [...entries.keys()].filter((name) => /^extension\/dist\/[\w-]+\.cjs$/.test(name)))
      writeFileSync(join(folder, basename(name)), entries.get(name)?.() ?? '');
    const args = ['--data-dir', join(folder, 'data'), '--database', 'postgres://127.0.0.1:1/none'];
    const { status, stderr } = spawnSync(process.execPath, [join(folder, 'service.cjs'), ...args], {
      encoding: 'utf8',
    });
    rmSync(folder, { recursive: true, force: true });
    assert.deepEqual(
      [status, stderr],
      [
        1,
        "The VS Code extension's service can't use PostgreSQL. Start the npm package web-data-service with --database instead.\n",
      ],
    );
  });

  it('has production bundles: less than 60 kB that VS Code loads at startup, and 450 kB with the features', () => {
    const bytesOf = (names: readonly string[]) => names.reduce((sum, name) => sum + text(`dist/${name}`).length, 0);
    const atStart = [...loadedAtStart('extension.cjs')];
    assert.ok(bytesOf(atStart) < 60e3, `${bytesOf(atStart)} bytes in ${atStart.join(', ')}`);
    const parts = [...text('dist/extension.cjs').matchAll(/require\("\.\/(extension-part-[^"]+)"\)/g)];
    const all = [...new Set([...atStart, ...parts.map(([, name = '']) => name)])];
    assert.ok(all.length > atStart.length);
    assert.ok(bytesOf(all) < 450e3, `${bytesOf(all)} bytes in ${all.join(', ')}`);
    for (const name of all) {
      const lines = text(`dist/${name}`).trimEnd().split('\n').length;
      assert.ok(text(`dist/${name}`).length / lines > 500, `${name} is not minified`);
    }
    for (const name of entries.keys()) assert.doesNotMatch(name, /\.map$|meta\.json$/);
  });

  it('contains no path of the build machine', () => {
    const folders = [repository, homedir(), dirname(realpathSync(join(repository, 'node_modules')))];
    for (const [name, read] of entries) {
      if (!/\.(?:cjs|js|css|json|txt|md)$/.test(name)) continue;
      const content = read().toString('utf8');
      for (const folder of folders) assert.ok(!content.includes(`${folder}/`), `${name} names ${folder}`);
    }
  });

  it('has a manifest for the Marketplace, with the links of the one repository', () => {
    const manifest = JSON.parse(text('package.json'));
    const address = manifest.repository.url.replace(/\.git$/, '');
    assert.deepEqual(manifest.bugs, { url: `${address}/issues` });
    assert.equal(manifest.homepage, `${address}#readme`);
    assert.ok(manifest.keywords.length >= 5 && manifest.keywords.length <= 30);
    assert.ok(manifest.categories.length > 0);
    assert.match(manifest.galleryBanner.color, /^#[0-9a-f]{6}$/);
    const png = entries.get(prefix + manifest.icon)?.();
    assert.deepEqual([png?.readUInt32BE(16), png?.readUInt32BE(20)], [256, 256]);
    for (const field of ['scripts', 'devDependencies', 'optionalDependencies', 'private']) {
      assert.equal(manifest[field], undefined, field);
    }
  });

  it('takes its web addresses from one place in the repository', () => {
    const { url } = JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8')).repository;
    const address = url.replace(/\.git$/, '');
    const places = globSync(['*.{json,md,mjs}', '{src,scripts,docs,.github}/**/*.{ts,mjs,md,yml,json}'], {
      cwd: repository,
    }).filter((name) => readFileSync(join(repository, name), 'utf8').includes(address));
    assert.deepEqual(places, ['package.json']);
  });

  it('shows the pictures of README.md and the docs from the repository', () => {
    const pages = [...entries.keys()].filter((name) => /^extension\/(?:readme|docs\/[^/]+)\.md$/.test(name));
    const all = pages.map((name) => text(name.slice(prefix.length))).join('\n');
    const pictures = [...all.matchAll(/!\[[^\]]*\]\(([^)]+)\)/g)].map(([, link = '']) => link);
    assert.ok(pictures.length > 0);
    for (const link of pictures) {
      const [, path] = /^https:\/\/.*\/(docs\/images\/[\w-]+\.\w+)$/.exec(link) ?? [];
      assert.ok(path && statSync(join(repository, path)).isFile(), link);
    }
  });

  it('links from its docs to what it contains, or to the repository', () => {
    const pages = [...entries.keys()].filter((name) => /^extension\/docs\/[^/]+\.md$/.test(name));
    const links = pages.flatMap((name) =>
      [...text(name.slice(prefix.length)).matchAll(/\]\(([^)#\s]+)/g)].map(([, link = '']) => link),
    );
    const inPackage = links.filter((link) => !/^https?:/.test(link));
    assert.deepEqual(
      inPackage.filter((link) => !entries.has(`extension/docs/${link}`) && !link.startsWith('../')),
      [],
    );
    const [page] = links.filter((link) => /performance\.md$/.test(link));
    assert.match(page ?? '', /^https:\/\/.*\/blob\/HEAD\/docs\/performance\.md$/);
  });

  it('includes the license of every bundled package', () => {
    const notices = text('ThirdPartyNotices.txt');
    const metafiles: Metafile[] = JSON.parse(readFileSync(join(repository, 'dist', 'meta.json'), 'utf8'));
    const inputs = metafiles.flatMap(({ outputs }) =>
      Object.values(outputs).flatMap((output) => Object.keys(output.inputs)),
    );
    const marker = 'node_modules/';
    const folders = new Set(
      inputs
        .filter((path) => path.includes(marker) && !path.startsWith('(disabled)'))
        .map((path) => {
          const at = path.lastIndexOf(marker) + marker.length;
          const [first = '', second = ''] = path.slice(at).split('/');
          return resolve(repository, path.slice(0, at), first.startsWith('@') ? join(first, second) : first);
        }),
    );
    assert.ok(folders.size > 50, `${folders.size} packages`);
    for (const folder of [...folders, join(repository, 'node_modules', 'playwright-core')]) {
      const { name, version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
      assert.ok(notices.includes(`\n${name} ${version}\nLicense: `), `${name} ${version} is not named`);
      for (const licence of readdirSync(folder).filter((entry) => /^licen[cs]e/i.test(entry))) {
        const words = readFileSync(join(folder, licence), 'utf8').replaceAll('\r\n', '\n').trim();
        assert.ok(notices.includes(words), `${licence} of ${name}`);
      }
    }
    for (const section of notices.split(/^-{80}$/m).slice(1)) assert.ok(section.length > 400, section.slice(0, 80));
  });
});
