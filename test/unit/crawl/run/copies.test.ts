import assert from 'node:assert/strict';
import { createCopies } from '../../../../src/service/web/crawl/run/site-knowledge/copies.ts';
import { createPageTexts } from '../../../../src/service/web/crawl/run/site-knowledge/page-texts.ts';
import { convert } from '../../../../src/service/web/scrape/convert/tasks.ts';
import { sentenceOf } from '../../../harness/trap-site.ts';

const site = 'https://site.test';

interface Answer {
  path: string;
  body: string;
  type?: string;
}

/** Returns what a page of a crawl is a copy of, where others were read before. */
async function twinOf(page: Answer, ...before: Answer[]) {
  const texts = createPageTexts();
  let twin: ReturnType<typeof texts.twinOf>;
  for (const { path, body, type = 'text/html' } of [...before, page]) {
    const url = site + path;
    const { wording, metadata, links } = await convert({
      kind: type === 'text/html' ? 'html' : 'text',
      body: Buffer.from(body),
      contentType: type,
      raw: false,
      maxPages: 1,
      lists: { links: true, contentLinks: false, images: false },
      options: {
        url,
        onlyMainContent: true,
        onlyCleanContent: false,
        removeBase64Images: true,
        markdown: true,
        html: false,
        wording: true,
      },
    });
    const scraped = { wording, links, document: { metadata } };
    twin = texts.twinOf({ identity: url, url, scraped }, undefined);
  }
  return twin && [twin.url.slice(site.length), twin.isCertain];
}

const text = [1, 2, 3].map((number) => sentenceOf(number, 25));
const menu = '<nav><a href="/">Home</a> <a href="/about">About</a></nav>';
const guide = (path: string, parts = '', title = 'Guide | Site'): Answer => ({
  path,
  body: `<title>${title}</title>${menu}<main><h1>Guide</h1>${text.map((each) => `<p>${each}</p>`).join('')}${parts}</main>`,
});
const more = '<p>It also says something that the other page does not say.</p>';

describe('copies of a page', () => {
  it('are those with another query that say the same, but for links to the page and a part that they lack', async () => {
    const whole = guide('/guide', '<h2>See also</h2><ul><li><a href="/other">Another guide</a></li></ul>');
    for (const [query, body] of [
      ['view=print', '<p><a href="/guide">Back to the guide</a></p>'],
      ['print=1', ''],
      ['id=1&format=print', '<a href="?id=1">Close</a>'],
    ])
      assert.deepEqual(await twinOf(guide(`/guide?${query}`, body, 'Guide'), whole), ['/guide', true], query);
  });

  it('are those with a parameter more that differ in an alert, unless that is much of what they say', async () => {
    const notice = (said: string, role = 'alert') => `<p role="${role}">${said}</p>`;
    const added = 'Added to your list. <a href="/list">See it</a>';
    for (const [path, original] of [
      ['/guide?add=1', '/guide'],
      ['/guide?page=2&add=1', '/guide?page=2'],
    ] as const) {
      assert.deepEqual(await twinOf(guide(path, notice(added)), guide(original)), [original, true], path);
      for (const said of [notice(added, 'status'), notice(added, 'group'), notice(text.join(' '))])
        assert.equal(await twinOf(guide(path, said), guide(original)), undefined, said);
    }
    const [one, other] = ['Use it with care.', 'It takes two.'].map((said) => notice(said)) as [string, string];
    for (const [path, before] of [
      ['/errors?code=get', '/errors?code=set'],
      ['/errors/get', '/errors/set'],
      ['/errors/get', '/errors'],
      ['/errors#/get?a=1', '/errors#/get'],
      ['/errors?a=1#/get', '/errors#/set'],
    ] as const) {
      assert.equal(await twinOf(guide(path, one), guide(before, other)), undefined, path);
      assert.equal(await twinOf(guide(path, one), guide(before)), undefined, path);
    }
  });

  it('are those to print that have a line of their own, but no other pages with one', async () => {
    const printed = '<p>Printed from https://site.test on Sunday.</p>';
    assert.deepEqual(await twinOf(guide('/guide/print/', printed, 'Guide (print)'), guide('/guide/')), [
      '/guide/',
      true,
    ]);
    assert.deepEqual(await twinOf(guide('/guide?print=1', printed), guide('/guide')), ['/guide', true]);
    for (const path of ['/guide?version=2', '/guide/2/', '/guide?page=2'])
      assert.equal(await twinOf(guide(path, printed), guide('/guide')), undefined, path);
    const whole = [4, 5].map((number) => `<p>${sentenceOf(number, 25)}</p>`).join('');
    assert.equal(await twinOf(guide('/guide/print', whole), guide('/guide')), undefined);
  });

  it('are those in a folder of forms to print, but no pages with a word of their own there', async () => {
    const related = '<h2>See also</h2><ul><li><a href="/other">Another guide</a></li></ul>';
    for (const [path, original] of [
      ['/print/guide', '/guide'],
      ['/docs/print/guide', '/docs/guide'],
      ['/printer-friendly/docs/guide', '/docs/guide.html'],
    ] as const)
      assert.deepEqual(await twinOf(guide(path, '', 'Guide'), guide(original, related)), [original, true], path);
    for (const [path, original] of [
      ['/prints/guide', '/guide'],
      ['/print/other', '/guide'],
      ['/print-shop/guide', '/guide'],
      ['/print/guide', '/cards/guide'],
    ] as const)
      assert.equal(await twinOf(guide(path, '', 'Guide'), guide(original, related)), undefined, path);
    for (const own of ['<p>A3, 30 €</p>', more])
      assert.equal(await twinOf(guide('/print/guide', own), guide('/guide', '<p>Oil, 900 €</p>')), undefined);
  });

  it('are those whose titles have only the name of their form besides', async () => {
    for (const title of ['Guide | Site (Print)', 'Guide – Druckversion | Site', 'Printer-friendly version: Guide'])
      assert.deepEqual(await twinOf(guide('/guide?view=print', '', title), guide('/guide')), ['/guide', true], title);
    assert.equal(await twinOf(guide('/guide?view=blueprint', '', 'Guide to prints'), guide('/guide')), undefined);
  });

  it('are told from other pages by their titles, or by their first words', () => {
    const copies = createCopies();
    let reads = 0;
    const pageOf = (path: string, title: string, from: number) => {
      const said = new Proxy(
        Uint32Array.from({ length: 500 }, (_, at) => from + 2 * at),
        {
          get(target, name) {
            if (typeof name === 'string' && /^\d+$/.test(name)) reads++;
            return Reflect.get(target, name, target);
          },
        },
      );
      return { identity: path, url: site + path, title, wording: { said, length: 3000 } };
    };
    assert.equal(copies.originalOf(pageOf('/tea', 'Our teas', 0)), undefined);
    for (let at = 0; at < 100; at++) copies.originalOf(pageOf(`/tea/${at}`, `Tea ${at}`, at));
    assert.equal(reads, 0);
    assert.equal(copies.originalOf(pageOf('/tea?by=name', 'Teas', 1)), undefined);
    assert.ok(reads > 0 && reads < 10, String(reads));
    assert.equal(copies.originalOf(pageOf('/tea?print', 'Our teas', 0))?.identity, '/tea');
  });

  it('are no pages that say anything of their own, or much less', async () => {
    const whole = guide('/guide');
    for (const page of [
      guide('/guide?view=more', more),
      guide('/guide?color=red', '', 'Guide in red'),
      guide(
        '/guide?page=2',
        '<p>How the kettle is cleaned is in the <a href="/elsewhere">second part</a>, with all that it needs.</p>',
      ),
      guide('/guide?n=2', '<p>2</p>'),
      {
        path: '/guide?part=1',
        body: `<title>Guide</title><main><h1>Guide</h1><p>${text[0]}</p><p>${text[1]}</p></main>`,
      },
    ])
      assert.equal(await twinOf(page, whole), undefined, page.path);
  });

  it('are no pages of which a list leads to others, though these have the same path', async () => {
    const archive = (year: number, ...posts: string[]) => {
      const items = posts.map((post, at) => `<li><a href="?year=${year}&post=${at}">${post}</a></li>`).join('');
      return guide(`/archive?year=${year}`, `<ul>${items}</ul>`);
    };
    assert.equal(await twinOf(archive(1, 'A small kettle'), archive(2, 'Green tea', 'Black tea')), undefined);
    const routes = ['tea', 'cups'].map((each) =>
      guide(`/guide?${each}`, `<ul><li><a href="#/${each}">Our ${each}</a></li></ul>`),
    );
    assert.equal(await twinOf(...(routes as [Answer, Answer])), undefined);
  });

  it('are no pages that say the same words of other things in their rows', async () => {
    const seats = (...taken: number[]) =>
      [1, 2, 3, 4].map((seat) => [`Seat ${seat}`, taken.includes(seat) ? 'taken' : 'free']);
    const forms: Record<string, (rows: string[][]) => string> = {
      table: (rows) =>
        `<table>${rows.map((cells) => `<tr>${cells.map((cell) => `<td><p>${cell}</p></td>`).join('')}</tr>`).join('')}</table>`,
      list: (rows) => `<dl>${rows.map(([name, value]) => `<dt>${name}</dt><dd>${value}</dd>`).join('')}</dl>`,
    };
    for (const [form, written] of Object.entries(forms)) {
      const on = (day: number, ...taken: number[]) => guide(`/seats?day=${day}`, written(seats(...taken)));
      assert.equal(await twinOf(on(1, 1, 2), on(2, 3, 4)), undefined, form);
      assert.deepEqual(await twinOf(on(1, 1, 2), on(2, 1, 2)), ['/seats?day=2', true], form);
    }
  });

  it('are told among a bounded number of pages', () => {
    const copies = createCopies();
    const page = (number: number, query = '') => {
      const url = `${site}/${number}${query}`;
      return { identity: url, url, title: '', wording: { said: Uint32Array.of(number), length: 200 } };
    };
    for (let number = 0; number < 30_000; number++) copies.originalOf(page(number));
    assert.ok(copies.originalOf(page(1, '?print')));
    assert.equal(copies.originalOf(page(29_999, '?print')), undefined);
  });

  const short = (path: string, links = '', title = 'Topic') => ({
    path,
    body: `<title>${title}</title><main><h1>Topic</h1><p>Is it the coil?</p>${links}</main>`,
  });

  it('are also short ones with a parameter that changes nothing but their links', async () => {
    const reply = (query: string) => `<a href="/reply?${query}">Reply</a>`;
    const topic = short('/topic?f=1&t=10', reply('mode=post&f=1&t=10'));
    assert.deepEqual(await twinOf(short('/topic?t=10', reply('mode=post&t=10')), topic), ['/topic?f=1&t=10', true]);
    const print = { ...short('/topic?t=10&view=print') };
    const page = { ...short('/topic?t=10'), body: menu + short('').body };
    assert.deepEqual(await twinOf(print, page), ['/topic?t=10', true]);
    for (const other of [
      short('/topic?t=11', reply('t=11')),
      short('/topic?t=10&p=2', reply('mode=edit&t=10')),
      short('/topic', '', 'Another'),
    ])
      assert.notDeepEqual((await twinOf(other, short('/topic?t=10', reply('t=10'))))?.[1], true, other.path);
  });

  const paragraphs = text.join('\n\n');
  const file = (path: string, body = `# Guide\n\n${paragraphs}\n`, type = 'text/markdown; charset=utf-8') => ({
    path,
    body,
    type,
  });

  it('are text files of what a page beside them says, in either order', async () => {
    const marks = [
      '---\ntitle: Guide\nauthor: Somebody\n---\n\n# Guide\n\n[',
      `![A picture](/a.png)\n\n1. **${text[0]}**\n2. *${text[1]}*\n\n> ${text[2]}\n\n\`\`\`js\nlet tea = "green" && 1;\n\`\`\`\n`,
    ];
    const page = {
      path: '/guide',
      body: `<title>Guide | Site</title>${menu}<main><h1>Guide</h1><p><img src="/b.png"></p><ol><li>${text[0]}</li><li>${text[1]}</li></ol><p>${text[2]}</p><pre>let tea = “green” &amp;&amp; 1;</pre></main>`,
    };
    assert.deepEqual(await twinOf(file('/guide.md', `${marks[0]?.slice(0, -1)}${marks[1]}`), page), ['/guide', true]);
    for (const [copy, original] of [
      ['/guide.md', '/guide/'],
      ['/guide.txt', '/guide.html'],
      ['/guide/index.md', '/guide'],
      ['/guide?format=md', '/guide'],
      ['/index.html.md', '/'],
    ] as const) {
      const type = copy.endsWith('txt') ? 'text/plain' : 'text/markdown';
      assert.deepEqual(await twinOf(file(copy, undefined, type), guide(original)), [original, true], copy);
      assert.deepEqual(await twinOf(guide(original), file(copy, undefined, type)), [copy, true], original);
    }
    assert.deepEqual(await twinOf(file('/soon.md', '# Topic\n\nIs it the coil?'), short('/soon')), ['/soon', true]);
  });

  it('are no text files that say more, or that are elsewhere or of another kind', async () => {
    for (const other of [
      file('/guide.md', `# Guide\n\n${paragraphs}\n\nIt also says something that the page does not.`),
      file('/other.md', `# Guide\n\n${paragraphs}`),
      file('/guide/soon.md', 'Soon'),
      file('/guide.js', paragraphs, 'text/javascript'),
    ])
      assert.equal(await twinOf(other, guide('/guide')), undefined, other.path);
  });

  it('are no text files that differ from others in signs or tags alone', async () => {
    const settings = (path: string, value: number) =>
      file(path, `${paragraphs}\n\n<entry value="${value}"/>\n\n![](/${value}.png)\n`, 'text/plain');
    for (const path of ['/settings.txt?to=2', '/settings.conf', '/other.txt'])
      assert.equal(await twinOf(settings(path, 2), settings('/settings.txt', 1)), undefined, path);
    assert.deepEqual(await twinOf(settings('/b.txt', 1), settings('/a.txt', 1)), ['/a.txt', true]);
  });
});
