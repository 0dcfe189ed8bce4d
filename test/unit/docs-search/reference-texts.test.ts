import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createReferenceIndex } from '../../../scripts/lib/docs-index.ts';
import { settingRows } from '../../../scripts/lib/manifest-tables.ts';
import { limits } from '../../../src/contract/limits.ts';
import { headingsOf } from '../../../src/extension/docs-chat/evidence/headings.ts';
import { answerFrom, countWords } from '../../../src/service/assistants/docs-search/answer/answer.ts';
import { find } from '../../../src/service/assistants/docs-search/answer/search.ts';
import type { SearchIndex } from '../../../src/service/assistants/docs-search/index/search-index.ts';
import { repository } from '../../harness/folders.ts';
import { readQuestions } from '../../harness/questions.ts';

const folder = join(repository, 'docs');
/** Commands of VS Code that the docs name. */
const ofVsCode = new Set(['Developer: Show Running Extensions', 'Configure Display Language']);

describe('the reference texts', () => {
  let index: SearchIndex;
  let pages: Map<string, string>;

  before(async () => {
    index = await createReferenceIndex(folder);
    const names = (await readdir(folder)).filter((name) => name.endsWith('.md'));
    pages = new Map(
      await Promise.all(names.map(async (name) => [name, await readFile(join(folder, name), 'utf8')] as const)),
    );
  });

  const ask = (question: string) => answerFrom(question, find(question, [index]));

  it('link to existing pages and headings', () => {
    for (const [name, text] of pages) {
      for (const [, target = ''] of text.matchAll(/\]\((?!https?:|command:)([^)\s]+)\)/g)) {
        const [file, anchor] = target.split('#');
        const page = file === '' ? name : (file ?? '');
        if (!page.endsWith('.md')) continue;
        const linked = pages.get(page) ?? assert.fail(`${name}: there is no ${page}`);
        if (anchor)
          assert.ok(
            headingsOf(linked).some((heading) => heading.anchor === anchor),
            `${name}: ${target}`,
          );
      }
    }
  });

  it('give the limits of the contract', () => {
    const { ttl, activityTtl, runTimeout, activityPage } = limits;
    const statements: [page: string, statement: string][] = [
      ['browser-sessions.md', `Total lifetime of the session in seconds, ${ttl.min} to ${ttl.max}`],
      ['browser-sessions.md', `\`ttl\` | integer | ${ttl.default}`],
      ['browser-sessions.md', `\`activityTtl\` | integer | ${activityTtl.default}`],
      ['browser-sessions.md', `${activityTtl.min} to ${activityTtl.max}`],
      ['browser-sessions.md', `${limits.concurrentSessions.default} concurrent sessions`],
      ['running-code.md', `Seconds until the run is killed, ${runTimeout.min} to ${runTimeout.max}`],
      ['running-code.md', `\`timeout\` | integer | ${runTimeout.default}`],
      ['running-code.md', `1 to ${limits.code.max.toLocaleString('en-US')} characters`],
      ['running-code.md', `${limits.output / 1024 / 1024} MiB each of \`stdout\`, \`stderr\` and \`result\``],
      ['interact.md', `1 to ${limits.prompt.max.toLocaleString('en-US')} characters`],
      ['profiles.md', `${limits.profileName.min} to ${limits.profileName.max} characters`],
      ['crawl-jobs.md', `At most ${limits.crawlPrompt.max.toLocaleString('en-US')} characters`],
      ['crawl-jobs.md', `\`limit\` | integer | ${limits.crawlPages.default.toLocaleString('en-US')}`],
      ['activity.md', `${activityPage.default} by default, and ${activityPage.min} to ${activityPage.max}`],
      ['activity.md', `${limits.activityWindow / 3600} hours`],
      ['usage-and-credits.md', `1 credit = ${limits.tokensPerCredit} tokens`],
      ['docs-search.md', `${limits.question.min} to ${limits.question.max} characters`],
    ];
    for (const [page, statement] of statements)
      assert.ok(pages.get(page)?.includes(statement), `${page}: ${statement}`);
  });

  it('name every command and setting of the extension', async () => {
    const manifest = JSON.parse(await readFile(join(repository, 'package.json'), 'utf8')) as {
      contributes: { commands: { title: string }[] };
    };
    const titles = JSON.parse(await readFile(join(repository, 'package.nls.json'), 'utf8')) as Record<string, string>;
    const everything = [...pages.values()].join('\n');
    const unnamed = manifest.contributes.commands
      .map(({ title }) => titles[title.replace(/^%|%$/g, '')] ?? title)
      .filter((title) => !everything.includes(title));
    assert.deepEqual(unnamed, [], 'commands that no page of docs/ names');
    for (const [name = ''] of settingRows()) assert.ok(pages.get('extension.md')?.includes(name), name);
  });

  it('quote only messages and names that the product shows', async () => {
    const files = (await readdir(join(repository, 'src'), { recursive: true })).filter((name) =>
      /\.(ts|py)$/.test(name),
    );
    const sources = await Promise.all(files.map((name) => readFile(join(repository, 'src', name), 'utf8')));
    sources.push(await readFile(join(repository, 'package.nls.json'), 'utf8'));
    const product = sources.join('\n').replaceAll("\\'", "'");
    const messages = [...(pages.get('troubleshooting.md') ?? '').matchAll(/^\| (?!Message|-)(.+?) \| .+ \|$/gm)];
    assert.ok(messages.length > 30);
    for (const [, message = ''] of messages) {
      for (const part of message.split(/…|\(E[A-Z]+\)/).map((text) => text.replace(/"$/, '').trim())) {
        assert.ok(product.includes(part), `troubleshooting.md: ${message}`);
      }
    }
    for (const [name, text] of pages) {
      if (name === 'api-reference.md') continue;
      for (const [, bold = ''] of text.matchAll(/\*\*([A-Z][^*]*)\*\*/g)) {
        if (!ofVsCode.has(bold)) assert.ok(product.includes(bold.replace('Web Data: ', '')), `${name}: ${bold}`);
      }
    }
  });

  it('answer at least nine questions in ten, and decline at least 94 in 100 that they do not answer', async () => {
    const questions = await readQuestions('docs-questions.json');
    const answered = questions.filter(({ facts }) => facts.length > 0);
    const right = answered.filter(({ question, facts }) =>
      facts.every((fact) => fact.test(ask(question)?.answer ?? '')),
    );
    const unanswerable = questions.filter(({ facts }) => facts.length === 0);
    const declined = unanswerable.filter(({ question }) => ask(question) === undefined);
    const words = answered.flatMap(({ question }) => ask(question)?.answer ?? []).map(countWords);
    assert.ok(answered.length >= 100 && unanswerable.length >= 20);
    assert.ok(right.length >= 0.9 * answered.length, `${right.length} of ${answered.length}`);
    assert.ok(declined.length >= 0.94 * unanswerable.length, `${declined.length} of ${unanswerable.length}`);
    assert.ok((words.sort((one, other) => one - other)[words.length >> 1] ?? 0) <= 60);
  });

  it('answer what new users asked, with the steps in VS Code, and decline the rest', async () => {
    const questions = await readQuestions('docs-questions-of-users.json');
    const wrong = questions.filter(({ question, facts }) => {
      const answer = ask(question)?.answer;
      return facts.length === 0 ? answer !== undefined : !facts.every((fact) => fact.test(answer ?? ''));
    });
    assert.deepEqual(
      wrong.map(({ question }) => question),
      [],
    );
  });

  it('are cited by file, heading and lines', async () => {
    for (const { question } of await readQuestions('docs-questions-held-out.json')) {
      for (const { pathOrUrl, reason } of ask(question)?.evidence ?? []) {
        const [file = '', anchor] = pathOrUrl.split('#');
        assert.ok(pages.has(file), pathOrUrl);
        const headings = headingsOf(pages.get(file) ?? '');
        if (anchor !== undefined)
          assert.ok(
            headings.some((heading) => heading.anchor === anchor),
            pathOrUrl,
          );
        assert.match(reason, /, lines? \d+/);
      }
    }
  });

  for (const [question, fact] of [
    ['How long may a session live at most?', /3600/],
    ['whats the biggst actvityTtl', /3600/],
    ['activity ttl default', /300/],
    ['what does 410 mean for interact', /destroyed/],
    ['which header has the webhook signature', /X-Service-Signature/],
    ['kill a session', /DELETE/],
    ['GET /v2/team/activity page size', /100/],
  ] as const) {
    it(`answer "${question}"`, () => assert.match(ask(question)?.answer ?? 'declined', fact));
  }

  it('show code if an example is requested', () => {
    assert.match(ask('show me an example of how to verify a webhook')?.answer ?? '', /```ts\n.*createHmac/s);
  });
});
