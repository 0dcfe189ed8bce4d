import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { limits } from '../../../src/contract/limits.ts';
import {
  commands,
  contextKeys,
  runnableLanguages,
  settings,
  settingsSection,
  views,
} from '../../../src/extension/ui/ids.ts';
import { repository } from '../../harness/folders.ts';

const text = readFileSync(join(repository, 'package.json'), 'utf8');
const strings = JSON.parse(readFileSync(join(repository, 'package.nls.json'), 'utf8')) as Record<string, string>;
const manifest = JSON.parse(text);
const { contributes } = manifest;
const sorted = (values: Iterable<string>) => [...values].sort();
const allWhen: string[] = [...text.matchAll(/"(?:when|enablement)": "((?:[^"\\]|\\.)*)"/g)].map(
  (match) => match[1] ?? '',
);

describe('ids in package.json and in the code', () => {
  it('are the same commands', () => {
    const declared = contributes.commands.map(({ command }: { command: string }) => command);
    assert.deepEqual(sorted(declared), sorted(Object.values(commands)));
  });

  it('are the same views', () => {
    const declared = Object.values(contributes.views as Record<string, { id: string }[]>).flat();
    assert.deepEqual(sorted(declared.map(({ id }) => id)), sorted(Object.values(views)));
  });

  it('are the same settings', () => {
    const inCode = Object.values(settings).map((name) => `${settingsSection}.${name}`);
    assert.deepEqual(sorted(Object.keys(contributes.configuration.properties)), sorted(inCode));
  });

  it('are the same context keys', () => {
    const used = allWhen.flatMap((when) => when.match(/\bwebdata\.[A-Za-z.]+/g) ?? []);
    const notViews = used.filter((name) => !Object.values<string>(views).includes(name));
    assert.deepEqual(sorted(new Set(notViews)), sorted(Object.values(contextKeys)));
  });

  it('name only commands and views that exist, in menus, key bindings and texts', () => {
    const known = new Set<string>([...Object.values(commands), ...Object.values(views)]);
    const menus = Object.values(contributes.menus as Record<string, { command: string }[]>).flat();
    const bound = contributes.keybindings as { command: string }[];
    const linked = Object.values(strings).flatMap((value) =>
      [...value.matchAll(/command:(webdata\.\w+)/g)].map((match) => match[1] ?? ''),
    );
    const named = [...[...menus, ...bound].map(({ command }) => command), ...linked];
    assert.deepEqual(
      named.filter((name) => !known.has(name)),
      [],
    );
    const viewNames = allWhen.flatMap((when) => [...when.matchAll(/view == (\S+)/g)].map((match) => match[1] ?? ''));
    assert.deepEqual(
      viewNames.filter((name) => !known.has(name)),
      [],
    );
  });

  it('have their texts, and there are no others', () => {
    const used = [...text.matchAll(/"%([^%"]+)%"/g)].map((match) => match[1] ?? '');
    assert.deepEqual(sorted(new Set(used)), sorted(Object.keys(strings)));
  });

  it('name the same languages', () => {
    const patterns = new Set(
      text
        .match(/(?:resourceLangId|editorLangId) =~ \/\^\(([^)]*)\)\$\//g)
        ?.map((found) => found.replace(/^.*\(|\).*$/g, '')),
    );
    assert.deepEqual([...patterns], [Object.keys(runnableLanguages).join('|')]);
  });
});

describe('package.json', () => {
  const { properties } = contributes.configuration;

  it('lets no workspace say which server is called or which program is run', () => {
    const embedded = Object.keys(properties).filter((name) => name.startsWith('webdata.embedded.'));
    for (const name of ['server.baseUrl', ...embedded.map((long) => long.slice('webdata.'.length))]) {
      assert.equal(properties[`webdata.${name}`].scope, 'machine', name);
      assert.ok(manifest.capabilities.untrustedWorkspaces.restrictedConfigurations.includes(`webdata.${name}`), name);
    }
    assert.equal(manifest.capabilities.untrustedWorkspaces.supported, 'limited');
  });

  it('has the limits of the contract', () => {
    const pairs = [
      ['run.timeout', limits.runTimeout],
      ['session.ttl', limits.ttl],
      ['session.activityTtl', limits.activityTtl],
    ] as const;
    for (const [name, limit] of pairs) {
      const { minimum, maximum } = properties[`webdata.${name}`];
      assert.deepEqual([minimum, maximum], [limit.min, limit.max], name);
    }
    assert.equal(properties['webdata.run.timeout'].default, limits.runTimeout.default);
    assert.equal(properties['webdata.embedded.maxSessions'].default, limits.concurrentSessions.default);
  });

  it('leaves the times of sessions to the server where nobody has set them', () => {
    for (const name of ['session.ttl', 'session.activityTtl']) {
      const { type, default: byDefault } = properties[`webdata.${name}`];
      assert.deepEqual([type, byDefault], [['integer', 'null'], null], name);
    }
  });

  it('offers nothing that runs code in Restricted Mode', () => {
    const free = ['clearRunResults', 'showMenu', 'useEmbeddedService', 'signOut', 'showServiceLog'];
    for (const { command, enablement = '' } of contributes.commands) {
      const mayStay = free.some((name) => command === `webdata.${name}`);
      assert.equal(enablement.includes('isWorkspaceTrusted'), !mayStay, command);
    }
  });

  it('starts with the window and waits for nothing', () => {
    // Tabs that are restored with the window need their file systems at once.
    const fileSystems = ['onFileSystem:webdata', 'onFileSystem:webdata-crawl'];
    assert.deepEqual(manifest.activationEvents, ['onStartupFinished', ...fileSystems]);
    assert.equal(manifest.engines.vscode, '^1.125.0');
    assert.deepEqual(manifest.extensionKind, ['workspace']);
  });
});
