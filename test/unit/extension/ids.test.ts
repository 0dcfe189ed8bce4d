import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { limits } from '../../../src/contract/limits.ts';
import { milestones } from '../../../src/extension/first-steps/milestones.ts';
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
  /** Commands that always lead somewhere: they ask for what they need. */
  const always = [
    'newSnippet',
    'openExamples',
    'openWalkthrough',
    'newBrowserSession',
    'newBrowserSessionWithOptions',
    'openLiveView',
    'connectToServer',
    'showServiceLog',
    'startCrawl',
    'scrapeUrl',
    'mapSite',
    'parseFiles',
    'searchWeb',
    'setUpSearch',
    'searchPages',
    'savePagesAsFiles',
    'savePagesAsJsonl',
    'savePagesAsCsv',
    'setWebhookSecret',
    'insertWebhookVerification',
    'interactWithScrape',
    'sendPrompt',
    'askAgent',
    'extractFromPages',
    'setUpLanguageModel',
    'copyMcpConfiguration',
    'manageAgentKeys',
    'askDocs',
    'addDocsSource',
    'manageDocsSources',
  ].map((name) => `webdata.${name}`);

  it('shows each command only while it can run', () => {
    const declared = contributes.commands.map(({ command }: { command: string }) => command);
    const unconditional = declared.filter((command: string) => !palette.has(command));
    assert.deepEqual(sorted(unconditional), sorted(always));
    assert.deepEqual(
      [...palette.keys()].filter((command) => !declared.includes(command)),
      [],
    );
  });

  it('has at most 36 commands in a new window', () => {
    const first = [...palette].filter(([, when]) => isTrueAtFirst(when));
    assert.ok(always.length + first.length <= 36, first.join('\n'));
  });

  it('hides the commands for deliveries if there are none', () => {
    for (const name of ['open', 'forward', 'replay', 'edit', 'clear', 'filter']) {
      for (const [command, when] of palette) {
        if (!new RegExp(`^webdata\\.${name}Webhook(Delivery|Request|Markdown|s)?$`).test(command)) continue;
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

/** Whether a clause holds with no editor, no view in sight and nothing done. */
function isTrueAtFirst(when: string): boolean {
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

  it("leaves session times to the server if they aren't set", () => {
    for (const name of ['session.ttl', 'session.activityTtl']) {
      const { type, default: byDefault } = properties[`webdata.${name}`];
      assert.deepEqual([type, byDefault], [['integer', 'null'], null], name);
    }
  });

  it('offers nothing that runs code in Restricted Mode (EXT-01)', () => {
    const free = ['clearRunResults', 'openWalkthrough', 'showMenu', 'useEmbeddedService', 'signOut', 'showServiceLog'];
    for (const { command, enablement = '' } of contributes.commands) {
      const mayStay = free.some((name) => command === `webdata.${name}`);
      assert.equal(enablement.includes('isWorkspaceTrusted'), !mayStay, command);
    }
  });

  it('starts with the window without waiting for anything', () => {
    // Tabs that are restored with the window need their file systems at once.
    const fileSystems = ['onFileSystem:webdata', 'onFileSystem:webdata-crawl'];
    assert.deepEqual(manifest.activationEvents, ['onStartupFinished', ...fileSystems]);
    assert.deepEqual(manifest.extensionKind, ['workspace']);
  });
});
