import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createManifest } from '../../../scripts/lib/contributions.ts';
import { limits } from '../../../src/contract/limits.ts';
import { milestones } from '../../../src/extension/first-steps/milestones.ts';
import { commandRows } from '../../../src/extension/ui/command-table/command-table.ts';
import { viewStates } from '../../../src/extension/ui/command-table/view-states.ts';
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
  it('are written from the table of commands', () => {
    for (const [path, content] of createManifest())
      assert.equal(readFileSync(path, 'utf8'), content, `${path}: npm run contributions`);
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
    const names = used.map((name) => name.replace(/\.visible$/, ''));
    const notViews = names.filter((name) => !Object.values<string>(views).includes(name));
    assert.deepEqual(sorted(new Set(notViews)), sorted(Object.values(contextKeys)));
  });

  it('refer only to commands and views that exist, in menus, key bindings and texts', () => {
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

  it('have their texts, without unused ones', () => {
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

describe('the command palette', () => {
  const title = ({ title: text }: { title: string }) => strings[text.replaceAll('%', '')] ?? text;
  const palette = new Map<string, string>(
    contributes.menus.commandPalette.map(({ command, when }: { command: string; when: string }) => [command, when]),
  );
  const declared: string[] = contributes.commands.map(({ command }: { command: string }) => command);

  it('has at most 25 commands in a new window', () => {
    const first = declared.filter((command) => isTrueAtFirst(palette.get(command) ?? ''));
    assert.ok(first.length <= 25, `${first.length}:\n${first.join('\n')}`);
    assert.ok(first.includes('webdata.newSnippet'));
  });

  it('hides the commands for deliveries if there are none', () => {
    for (const name of ['open', 'replay', 'edit', 'clear', 'filter']) {
      for (const [command, when] of palette) {
        if (!new RegExp(`^webdata\\.${name}Webhook(Delivery|As|s)?$`).test(command)) continue;
        assert.equal(when, 'webdata.hasDeliveries', command);
      }
    }
  });

  it('has no two titles that differ only by one character', () => {
    const titles: string[] = contributes.commands.map(title);
    for (const [index, one] of titles.entries()) {
      for (const other of titles.slice(index + 1)) {
        assert.ok(distance(one, other) > 1, `${one} and ${other}`);
        assert.notEqual(one.replace('…', '').toLowerCase(), other.replace('…', '').toLowerCase());
      }
    }
  });
});

describe('the menus', () => {
  /** The values of `viewItem` of rows that have the most entries, by view. */
  const rows: Record<string, string[]> = {
    browserSessions: [
      ...['current', 'other'].flatMap((use) =>
        ['', ' agent paused recorded', ' agent unpaused recorded'].map(
          (agent) => `session active ${use}${agent} cdp live`,
        ),
      ),
      'session ended other agent unpaused recorded',
      'ended-sessions',
      'request code',
      'request',
    ],
    activeCrawls: [
      ...['crawl active named site', 'crawl ended named site cut', 'page ok scraped', 'page notOk'],
      ...['watch scheduled', 'watch paused'],
    ],
    activity: [
      'scrape named record markdown',
      'crawl named record pages',
      'batch_scrape named record pages',
      'agent named record runningAgent',
      'search named record',
      'page ok scraped',
    ],
    webhooks: [
      'receiver listening',
      'receiver idle',
      ...['url', 'publicUrl', 'secret', 'handler', 'refused'].map((fact) => `fact ${fact}`),
      'delivery markdown job',
      'forwarding',
    ],
  };
  type Entry = { command: string; when: string; group: string };

  it('have at most eight entries for a row, and two buttons', () => {
    for (const [view, items] of Object.entries(rows)) {
      for (const item of items) {
        const shown = (contributes.menus['view/item/context'] as Entry[]).filter(({ when }) =>
          holds(when, { view: `webdata.${view}`, viewItem: item }),
        );
        const inline = shown.filter(({ group }) => group.startsWith('inline'));
        const names = (entries: Entry[]) => `${view}, ${item}: ${entries.map(({ command }) => command).join(', ')}`;
        assert.ok(inline.length <= 2, names(inline));
        const others = shown.filter((entry) => !inline.includes(entry));
        assert.ok(others.length <= 8, names(others));
      }
    }
  });

  it('have at most eight entries in the menu of a view', () => {
    for (const view of Object.values(views)) {
      for (const target of ['embedded', 'server']) {
        const entries = (contributes.menus['view/title'] as Entry[]).filter(
          ({ when, group }) => !group.startsWith('navigation') && holds(when, { view, 'webdata.target': target }, true),
        );
        assert.ok(entries.length <= 8, `${view}: ${entries.map(({ command }) => command).join(', ')}`);
      }
    }
  });
});

/** Whether a clause of \`==\`, \`!=\`, \`=~\` and \`&&\` holds; \`otherwise\`: what a key that isn't in \`keys\` is. */
function holds(when: string, keys: Record<string, string>, otherwise = false): boolean {
  return when.split(' && ').every((term) => {
    const [, key = '', operator, value = ''] = /^(\S+) (==|!=|=~) (.+)$/.exec(term) ?? [];
    const actual = keys[key];
    if (actual === undefined) return otherwise;
    if (operator === '=~') return new RegExp(value.slice(1, -1)).test(actual);
    return (actual === value.replaceAll("'", '')) === (operator === '==');
  });
}

/** Whether a clause holds with no editor, no view in sight and nothing done. */
function isTrueAtFirst(when: string): boolean {
  if (when === '') return true;
  return when.split(' || ').some((all) =>
    all.split(' && ').every((term) => {
      if (term.startsWith('!')) return /^!webdata\./.test(term);
      return / != /.test(term) && /^webdata\./.test(term);
    }),
  );
}

/** The number of characters to insert, delete or replace. */
function distance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (const [index, character] of [...one].entries()) {
    const next = [index + 1];
    for (let at = 1; at <= other.length; at++) {
      const replaced = (row[at - 1] ?? 0) + (character === other[at - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[at] ?? 0) + 1, (next[at - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}

describe('what views show instead of rows', () => {
  it('is the same in every view in a state of the connection', () => {
    for (const [name, { state, target }] of Object.entries(viewStates)) {
      const used = (contributes.viewsWelcome as { contents: string; when: string }[]).filter(({ when }) =>
        state === undefined
          ? when === '!isWorkspaceTrusted'
          : new RegExp(`State == '${state}'(?! && webdata\\.target == '(?!${target}))`).test(when) && state !== 'ready',
      );
      assert.ok(used.length >= 2, name);
      assert.deepEqual([...new Set(used.map(({ contents }) => contents))], [`%state.${name}%`]);
    }
  });

  // VS Code makes a view no lower than 120 pixels: three lines of text and a button. What is below is cut off.
  it('is a short text and at most one button, the last of it, so that the lowest view shows all of it', () => {
    const chinese = JSON.parse(readFileSync(join(repository, 'package.nls.zh-cn.json'), 'utf8'));
    for (const { contents } of contributes.viewsWelcome as { contents: string }[]) {
      const key = contents.slice(1, -1);
      for (const [most, written] of [
        [90, strings[key] ?? ''],
        [50, chinese[key]],
      ]) {
        const [sentence = '', ...buttons] = written.split('\n');
        const shown = sentence.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1');
        assert.ok(shown.length <= most, `${key} has ${shown.length} characters: ${shown}`);
        assert.ok(
          buttons.length <= 1 && buttons.every((line: string) => /^\[[^\]]+\]\(command:[\w.]+\)$/.test(line)),
          key,
        );
        assert.doesNotMatch(sentence, /^\[[^\]]*\]\([^)]*\)$/, key);
      }
    }
  });
});

describe('the walkthrough', () => {
  const [walkthrough] = contributes.walkthroughs;

  it('has steps with one button, a picture and a check mark that only the action itself sets', () => {
    assert.deepEqual(
      walkthrough.steps.map(({ id }: { id: string }) => id),
      ['run', 'watch', 'crawl', 'ask', 'agents', 'connect'],
    );
    const events = walkthrough.steps.flatMap(
      ({ completionEvents }: { completionEvents: string[] }) => completionEvents,
    );
    assert.deepEqual(
      events,
      milestones.map((milestone) => `onContext:webdata.done.${milestone}`),
    );
    for (const { id, description, media } of walkthrough.steps) {
      const text = strings[description.replaceAll('%', '')] ?? '';
      assert.equal(text.match(/^\[[^\]]+\]\(command:webdata\.\w+\)$/gm)?.length, 1, id);

      for (const file of Object.values<string>(media.image)) assert.ok(existsSync(join(repository, file)), file);
    }
  });
});

describe('package.json', () => {
  const { properties } = contributes.configuration;

  it('has at most 85 commands and 20 settings', () => {
    assert.ok(contributes.commands.length <= 85, String(contributes.commands.length));
    assert.ok(Object.keys(properties).length <= 20, String(Object.keys(properties).length));
  });

  it('lets no workspace choose the server or the programs to run (CLI-12)', () => {
    const embedded = Object.keys(properties).filter((name) => name.startsWith('webdata.embedded.'));
    for (const name of ['server.baseUrl', ...embedded.map((long) => long.slice('webdata.'.length))]) {
      assert.equal(properties[`webdata.${name}`].scope, 'machine', name);
      assert.ok(manifest.capabilities.untrustedWorkspaces.restrictedConfigurations.includes(`webdata.${name}`), name);
    }
    assert.equal(manifest.capabilities.untrustedWorkspaces.supported, 'limited');
  });

  it('runs beside the files, so that it is no extension of web editors, and is limited in virtual workspaces (EXT-18)', () => {
    assert.deepEqual(manifest.extensionKind, ['workspace']);
    assert.equal(manifest.browser, undefined);
    assert.equal(manifest.capabilities.virtualWorkspaces.supported, 'limited');
  });

  it('has the limits of the contract', () => {
    const { minimum, maximum } = properties['webdata.run.timeout'];
    assert.deepEqual([minimum, maximum], [limits.ownRunLimit.min, limits.ownRunLimit.max]);
    assert.equal(properties['webdata.run.timeout'].default, null);
    assert.equal(properties['webdata.embedded.maxSessions'].default, limits.concurrentSessions.default);
  });

  it('offers nothing that runs code in Restricted Mode (EXT-01)', () => {
    const free = ['clearRunResults', 'openWalkthrough', 'showMenu', 'useEmbeddedService', 'signOut', 'showServiceLog'];
    const inTable = [...commandRows].flatMap(([id, row]) => (row.free ? [id] : []));
    assert.deepEqual(sorted(inTable), sorted(free.map((name) => `webdata.${name}`)));
    for (const { command, enablement = '' } of contributes.commands)
      assert.equal(enablement.includes('isWorkspaceTrusted'), !inTable.includes(command), command);
  });

  it('starts with the window without waiting for anything', () => {
    // Tabs that are restored with the window need their file systems at once.
    const fileSystems = ['onFileSystem:webdata', 'onFileSystem:webdata-crawl'];
    assert.deepEqual(manifest.activationEvents, ['onStartupFinished', ...fileSystems]);
    assert.deepEqual(manifest.extensionKind, ['workspace']);
  });
});
