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
    const { markdown, warning, metadata } = answer.body.data;
    const found = [...markdown.matchAll(/\[Boat (\d+)\]/g)].map(([, boat]) => Number(boat));
    return { found, markdown, warning: warning ?? undefined, moreActions: metadata.moreActions ?? undefined };
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
    'whose pages have numbers alone': boats(
      items,
      `<div class="pagination">${[0, 1, 2, 3].map((at) => `<button onclick="at = ${at * 4}; draw()">${at + 1}</button>`).join('')}</div>`,
    ),
    'which asks its site': boats(
      `fetch('/rows?' + at).then(() => { ${items}; after.hidden = at + size >= count })`,
      '<button id="after">Next →</button><script>after.onclick = () => next()</script>',
    ),
  };
  for (const [what, body] of Object.entries(lists)) {
    it(`has all rows, in order and once: ${what}`, async () => {
      site.answer('/rows', page(''));
      const { found, warning } = await read(body);
      assert.deepEqual([found, warning], [upTo(14), undefined]);
    });
  }

  it('is read as far as there is time, and further with the actions that it names', async () => {
    const endless = boats(
      `const boats = Array.from({ length: size }, (_, index) => at + index + 1);
       app.innerHTML = '<ul>' + boats.map((boat) => '<li>' + row(boat) + '</li>').join('') + '</ul>'`,
      '<button id="after" onclick="next()">Next</button>',
    );
    const { found, warning, moreActions } = await read(endless);
    assert.ok(found.length > 4);
    assert.deepEqual(found, upTo(found.length));
    assert.match(
      warning,
      /^The page has a button "Next", which is still there after it was clicked: more may be missing/,
    );
    assert.deepEqual(moreActions, [{ type: 'click', selector: '#after', all: false, repeat: true }]);
    const whole = await read(lists['which is drawn anew with its button'], {
      actions: [{ type: 'click', selector: 'button', repeat: true }],
    });
    assert.deepEqual([whole.found, whole.warning], [upTo(14), undefined]);
  });

  const pressed = `onclick="document.body.append('PRESSED')"`;
  const few = `<ul>${upTo(4)
    .map((boat) => `<li><a href="/boat/${boat}">Boat ${boat}</a> of the harbour</li>`)
    .join('')}</ul>`;
  const others = {
    'in a form': [`<form>${few}<button type="button" ${pressed}>Next</button></form>`, /"Next", which wasn't clicked/],
    'in a carousel': [`<div class="carousel">${few}<button ${pressed}>Next</button></div>`],
    'with an address': [`${few}<a href="/boats" ${pressed}>Next</a>`],
    'without a list': [`<p>Some words</p><button ${pressed}>Next</button>`],
    'that says something else': [`${few}<button ${pressed}>Delete next</button>`],
    'in a drawing': [`${few}<form name="f"><input name="title"></form><svg><a ${pressed}><text>Next</text></a></svg>`],
    'in a dialog': [`${few}<div role="dialog"><button ${pressed}>Next</button></div>`],
  } as const;
  for (const [what, [body, warns]] of Object.entries(others)) {
    it(`is not pressed: a button ${what}`, async () => {
      const { found, markdown, warning } = await read(page(`<h1>Boats</h1>${body}<script>let used</script>`), {
        waitFor: 1,
      });
      assert.doesNotMatch(markdown, /PRESSED/);
      assert.deepEqual(found, what === 'without a list' ? [] : upTo(4));
      if (warns) assert.match(warning, warns);
      else assert.equal(warning, undefined);
    });
  }

  it('stays as it was if pressing changes something else', async () => {
    const { found, markdown } = await read(page(`<h1>Boats</h1>${few}<button ${pressed}>Next</button>`), {
      waitFor: 1,
    });
    assert.doesNotMatch(markdown, /PRESSED/);
    assert.deepEqual(found, upTo(4));
  });

  it('leads a crawl to all its rows, also those of an address', async () => {
    const linked = boats(
      `at = Number(new URLSearchParams(location.search).get('at') ?? 0); ${items}`,
      `<button onclick="location.search = 'at=' + (at + size)">Next</button>`,
    );
    for (const body of [lists['which is drawn anew with its button'], linked]) {
      site.answer('/boats', body);
      const { data, warning } = await crawl(service, {
        url: `${site.baseUrl}/boats`,
        sitemap: 'skip',
        crawlEntireDomain: true,
        scrapeOptions: { timeout: 240_000 },
      });
      assert.equal(warning ?? undefined, undefined);
      const paths = data.map(({ metadata }: { metadata: { url: string } }) => new URL(metadata.url).pathname);
      assert.deepEqual(
        upTo(14).filter((boat) => !paths.includes(`/boat/${boat}`)),
        [],
        JSON.stringify(data.map(({ markdown, metadata }: Record<string, unknown>) => [markdown, metadata])).slice(
          0,
          1000,
        ),
      );
    }
  });
});
