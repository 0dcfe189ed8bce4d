import assert from 'node:assert/strict';
import { crawl } from '../../harness/crawl-jobs.ts';
import { type Answer, type FaultySite, page, startFaultySite } from '../../harness/faulty-site.ts';
import { chosenBrowsers, startTestService, type TestService } from '../../harness/service.ts';

/** A list of fourteen boats, four at a time, which `draw` shows from a position. */
const boats = (draw: string, rest: string) =>
  page(`<h1>Boats</h1><main id="app"></main>${rest}<script>
    const count = 14, size = 4;
    const row = (boat) => '<a href="/boat/' + boat + '">Boat ' + boat + '</a> of the harbour';
    const shown = (at) => Array.from({ length: Math.min(size, count - at) }, (_, index) => at + index + 1);
    let at = 0;
    const draw = () => { ${draw} };
    const next = () => { at += size; draw(); };
    draw();
  </script>`);
const items = `app.innerHTML = '<ul>' + shown(at).map((boat) => '<li>' + row(boat) + '</li>').join('') + '</ul>'`;

describe('a list whose next rows a button shows in place of the others', () => {
  let site: FaultySite;
  let service: TestService;
  before(async () => {
    [site, service] = await Promise.all([startFaultySite(), startTestService(chosenBrowsers)]);
    for (let boat = 1; boat <= 20; boat++) site.answer(`/boat/${boat}`, page(`<h1>Boat ${boat}</h1>`));
  });
  after(() => Promise.all([site.close(), service.close()]));
  async function read(body: Answer, options: object = {}) {
    site.answer('/boats', body);
    const answer = await service.call('POST', '/v2/scrape', {
      url: `${site.baseUrl}/boats`,
      timeout: 240_000,
      ...options,
    });
    assert.equal(answer.status, 200, answer.body.error);
    const { markdown, warning, missing } = answer.body.data;
    const found = [...markdown.matchAll(/Boat (\d+)/g)].map(([, boat]) => Number(boat));
    return { found, markdown, warning: warning ?? undefined, moreActions: missing?.at(-1).actions };
  }
  const upTo = (last: number) => Array.from({ length: last }, (_, index) => index + 1);

  const lists = {
    'which is drawn anew with its button': boats(
      `${items} + '<button onclick="next()"' + (at + size < count ? '' : ' disabled') + '>Next</button>'`,
      '',
    ),
    'whose rows say something else, and which goes round in circles': boats(
      `if (at >= count) at = 0;
       for (const [index, item] of [...rows.children].entries()) item.innerHTML = shown(at)[index] ? row(shown(at)[index]) : ''`,
      `<div><ol id="rows"><li></li><li></li><li></li><li></li></ol></div>
       <div class="pages"><span>1 of 4</span> <a href="#" aria-label="Next page" onclick="next(); return false">›</a></div>`,
    ),
    'of which the others are hidden': boats(
      `for (const [index, item] of [...rows.children].entries()) item.style.display = shown(at).includes(index + 1) ? '' : 'none';
       older.hidden = at + size >= count`,
      `<table><tbody id="rows">${upTo(14)
        .map((boat) => `<tr><td><a href="/boat/${boat}">Boat ${boat}</a></td><td>harbour</td></tr>`)
        .join('')}</tbody></table>
       <a id="older" role="button" onclick="next()">Older</a>`,
    ),
    'which stays at its end': boats(
      `for (const [index, item] of [...rows.children].entries()) item.textContent = 'Boat ' + (Math.min(at, 10) + index + 1) + ' of the harbour'`,
      `<div><ul id="rows">${'<li></li>'.repeat(4)}</ul></div><button id="after" onclick="next()">Next</button>`,
    ),
    'whose buttons have numbers alone': boats(
      items,
      `<div>${upTo(4)
        .map((page) => `<button onclick="at = ${(page - 1) * 4}; draw()">${page}</button>`)
        .join(' ')}</div>`,
    ),
    'whose buttons with numbers change with the page': boats(
      `${items}; const current = at / size + 1;
       pages.innerHTML = [1, current - 1, current, current + 1, 4].filter((each, index, all) => each >= 1 && each <= 4 && all.indexOf(each) === index)
         .map((each) => '<li><a ' + (each === current ? 'aria-current="page"' : '') + ' onclick="at = ' + (each - 1) * size + '; draw()">' + each + '</a></li>').join('')`,
      '<ul class="pagination" id="pages"></ul>',
    ),
    'whose rows have buttons with numbers of their own': boats(
      `app.innerHTML = '<ul>' + shown(at).map((boat) => '<li>' + row(boat) + ' <i><button>1</button><button>2</button></i></li>').join('') + '</ul>'`,
      `<div class="pagination">${upTo(4)
        .map((page) => `<button onclick="at = ${(page - 1) * 4}; draw()">${page}</button>`)
        .join(' ')}</div>`,
    ),
    'in a grid of ASP.NET': boats(
      `const link = (page) => '<a href="javascript:__doPostBack(\\'grid\\',\\'Page$' + page + '\\')">' + page + '</a>';
       app.innerHTML = '<form method="post"><table>' + shown(at).map((boat) => '<tr><td>' + row(boat) + '</td><td>red</td></tr>').join('') +
         '<tr><td colspan="2"><table><tr>' + [1, 2, 3, 4].map((page) => '<td>' + (page === at / size + 1 ? page : link(page)) + '</td>').join('') +
         '</tr></table></td></tr></table></form>'`,
      '<script>function __doPostBack(grid, page) { at = (page.slice(5) - 1) * size; draw() }</script>',
    ),
    'which asks its site': boats(
      `fetch('/rows?' + at).then(() => { ${items}; after.hidden = at + size >= count })`,
      '<div class="d-flex flex-wrap"><button id="after">Next →</button></div><script>after.onclick = () => next()</script>',
    ),
  };
  for (const [what, body] of Object.entries(lists)) {
    it(`is read up to the button, which is named, and whole with the actions that it names: ${what}`, async () => {
      site.answer('/rows', page(''));
      const first = await read(body);
      assert.deepEqual(first.found, upTo(4));
      assert.match(first.warning, /^The page has a button ".+", which wasn't clicked: what it loads is missing/);
      const { found, warning } = await read(body, { actions: first.moreActions });
      assert.deepEqual(found, upTo(14));
      assert.match(warning ?? '', /^$|^The page has a button ".+", which was clicked until it added nothing more/);
    });
  }

  it('is read as far as it fits in a document, and says that there is more', async () => {
    const endless = boats(
      `const boats = Array.from({ length: size }, (_, index) => at + index + 1);
       app.innerHTML = '<ul>' + boats.map((boat) => '<li>' + row(boat) + '<i data-far="' + ''.padEnd(400_000, 'far ') + '"></i></li>').join('') + '</ul>'`,
      '<button id="after" onclick="next()">Next</button>',
    );
    const click = { type: 'click', selector: '#after', all: false, repeat: true };
    const { found, warning, moreActions } = await read(endless, { actions: [click] });
    assert.ok(found.length > 4);
    assert.deepEqual(found, upTo(found.length));
    assert.match(warning, /"Next", which is still there after it was clicked: more may be missing/);
    assert.deepEqual(moreActions, [click, click]);
  });

  it('has all rows also if each step has an address, and says so if each is another page', async () => {
    const click = [{ type: 'click', selector: '#after', repeat: true }];
    const buttonThat = (next: string) =>
      `<button id="after" onclick="${next}; after.disabled = at + size >= count">Next</button>`;
    const moving = boats(items, buttonThat("next(); history.pushState(null, '', '?at=' + at)"));
    const { found, warning } = await read(moving, { actions: click });
    assert.deepEqual([found, warning], [upTo(14), undefined]);
    site.answer('/more-boats', boats(`at = 4; ${items}`, ''));
    const other = await read(boats(items, buttonThat("location = '/more-boats'")), { actions: click });
    assert.deepEqual(other.found, [5, 6, 7, 8]);
    assert.equal(other.warning, 'Clicking "Next" led to another page, and only its rows are there.');
  });

  const few = `<ul>${upTo(4)
    .map((boat) => `<li><a href="/boat/${boat}">Boat ${boat}</a> of the harbour</li>`)
    .join('')}</ul>`;
  const fields = Array.from({ length: 4 }, (_, at) => `<div><label>Name ${at} of the boat</label><input></div>`).join(
    '',
  );
  const others = {
    'of a form with fields': `<form>${fields}<button type="button">Next</button></form>`,
    'of a form in which it does not lie': `<form id="f">${fields}</form><button form="f">Next</button>`,
    'in a carousel': `<div class="carousel"><section><div>${few}</div></section><button>Next</button></div>`,
    'with an address': `${few}<a href="/boats">Next</a>`,
    'without a list': '<p>Some words</p><button>Next</button>',
    'that says something else': `${few}<button>Delete next</button>`,
    'in a drawing': `${few}<form name="f"><input name="title"></form><svg><a><text>Next</text></a></svg>`,
    'in a dialog': `${few}<div role="dialog"><button>Next</button></div>`,
    'of a notice': `<main>${few}</main><div id="cookie-bar"><p>We use cookies</p><button>Next</button></div>`,
    'that goes on': `<main>${few}<div><button>Weiter</button></div></main>`,
    'of sizes': `<main>${few}<p>Size <button>1</button> <button>2</button></p></main>`,
    'of numbers in a form': `<main>${few}<form><button>1</button> <button>2</button></form></main>`,
    'of numbers of a rating': `<main>${few}<div class="star-rating"><button>1</button> <button>2</button></div></main>`,
    'of numbers that are switched on': `<main>${few}<div><button aria-pressed="false">1</button> <button aria-pressed="false">2</button></div></main>`,
    'of the keys for numbers': `<main>${few}<div>${[1, 2, 3, 4, 5, 6, 7, 8, 9, 0].map((key) => `<button>${key}</button>`).join(' ')}</div></main>`,
    'of the days of a month': `<main>${few}<div role="grid"><button>1</button> <button>2</button></div></main>`,
    'of numbers that begin elsewhere': `<main>${few}<div><button>2</button> <button>3</button></div></main>`,
    'of links with numbers': `<main>${few}<div><a href="?1">1</a> <a href="?2">2</a></div></main>`,
    'that opens a menu': `${few}<button aria-haspopup="menu">Next</button>`,
    'that says more of another kind': `<main>${few}<div class="hand">More about boats</div><button>More</button></main>`,
    'of more tags': `<main><ul class="tags">${'<li>A tag of the boats that is a long one</li>'.repeat(4)}</ul><button>+3 more</button></main>`,
    'of more of a filter': `<main><div class="filters"><ul>${'<li>A brand of boats that has a long name</li>'.repeat(4)}</ul><button>Show all 48 brands</button></div></main>`,
    'of a quantity': `<main>${few}<div><button>Minus</button><span>1 / 10</span><button>Plus</button></div></main>`,
    'of steps': `<main><form method="post"><input type="hidden" name="step">${few}<button>Next page</button></form></main>`,
    'of marks that are given': `<main><form method="post">${few}<div>${upTo(5)
      .map((mark) => `<input type="submit" name="mark" value="${mark}">`)
      .join('')}</div></form></main>`,
    'of seats': `<main id="page-list">${few}<div>${upTo(9)
      .map((seat) => `<span class="hand">${seat}</span>`)
      .join('')}</div></main>`,
    'of cells with numbers': `<main>${few}<table><tr>${upTo(7)
      .map((day) => `<td class="hand">${day}</td>`)
      .join('')}</tr></table></main>`,
    'far from the list': `<main>${few}</main><aside><div><div><div><button>Next</button></div></div></div></aside>`,
  };
  for (const [what, body] of Object.entries(others)) {
    it(`is not what a page has with a button ${what}`, async () => {
      const { warning } = await read(
        page(`<style>.hand { cursor: pointer }</style><h1>Boats</h1>${body}<script>let used</script>`),
        { waitFor: 1 },
      );
      assert.equal(warning, undefined);
    });
  }

  it('is told by a crawl, which reads what is linked up to the button', async () => {
    site.answer('/boats', lists['which is drawn anew with its button']);
    const { data, warning } = await crawl(service, {
      url: `${site.baseUrl}/boats`,
      sitemap: 'skip',
      crawlEntireDomain: true,
      scrapeOptions: { timeout: 240_000 },
    });
    assert.match(warning, /pages may be missing: .*\/boats: The page has a button "Next", which wasn't clicked/);
    const paths = data.map(({ metadata }: { metadata: { url: string } }) => new URL(metadata.url).pathname);
    assert.deepEqual(paths.sort(), ['/boat/1', '/boat/2', '/boat/3', '/boat/4', '/boats']);
  });
});
