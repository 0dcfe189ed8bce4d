import assert from 'node:assert/strict';
import { shorten } from '../../../src/contract/shorten.ts';
import { crawl } from '../../harness/crawl-jobs.ts';
import { type FaultySite, page, startFaultySite } from '../../harness/faulty-site.ts';
import { chosenBrowsers, startTestService, type TestService } from '../../harness/service.ts';

const light = '<p>It gives a warm light for long evenings, and is made by hand.</p>';
const chosen = '<button role="tab" id="t-About" aria-controls="p-About" aria-selected="true">About</button>';
const about = `<div role="tabpanel" id="p-About" aria-labelledby="t-About">${light}</div>`;
const idOf = (name: string) => name.replace(/\W+/g, '-');
const tab = (name: string, more = '', tag = 'button') =>
  `<${tag} role="tab" id="t-${idOf(name)}" aria-controls="p-${idOf(name)}" aria-selected="false" ${more}>${name}</${tag}>`;
const panel = (name: string, body = '', more = 'hidden') =>
  `<div role="tabpanel" id="p-${idOf(name)}" ${more}>${body}</div>`;
const list = (...tabs: string[]) => `<div role="tablist">${chosen}${tabs.join('')}</div>`;
/** Tabs beside a chosen one, each with an empty panel. */
const empty = (...names: string[]) =>
  list(...names.map((name) => tab(name))) + about + names.map((name) => panel(name)).join('');
/** Tabs that name no panels. */
const bare = (...names: string[]) =>
  `<div role="tablist">${names.map((name, at) => `<button role="tab" aria-selected="${String(at === 0)}" data-fills="below">${name}</button>`).join('')}</div>`;
const times = (count: number, each: (at: number) => string) =>
  Array.from({ length: count }, (_, at) => each(at)).join('');
/** By what they are, with the names that are said. */
const missing: Record<string, [said: string, body: string]> = {
  'panels that are mounted when they are chosen': [
    '"Specs", "Reviews"',
    list(
      '<button role="tab" id="radix-:r1:-t-specs" aria-controls="radix-:r1:-c-specs" aria-selected="false" data-state="inactive" tabindex="-1">Specs</button>',
      '<button role="tab" id="radix-:r1:-t-reviews" aria-controls="radix-:r1:-c-reviews" aria-selected="false">Reviews</button>',
    ) +
      about +
      '<div role="tabpanel" id="radix-:r1:-c-specs" aria-labelledby="radix-:r1:-t-specs" hidden tabindex="0"></div>' +
      '<div role="tabpanel" id="radix-:r1:-c-reviews" aria-labelledby="radix-:r1:-t-reviews" hidden></div>',
  ],
  'panels that name their tab': [
    '"Specs"',
    list('<button role="tab" id="t2" aria-selected="false">Specs</button>') +
      about +
      '<span role="tabpanel" aria-labelledby="t2" aria-hidden="true" style="position: fixed; width: 1px; height: 0; clip: rect(0 0 0 0)"></span>',
  ],
  'links to panes below': [
    '"Specs"',
    `<ul role="tablist"><li role="presentation"><a role="tab" href="#a" aria-controls="a" aria-selected="true">About</a></li>
    <li role="presentation"><a role="tab" href="#b" aria-controls="b" aria-selected="false">Specs</a></li></ul>
    <div role="tabpanel" id="a">${light}</div><div role="tabpanel" id="b" style="display: none"></div>`,
  ],
  'links to the address of the page with a place in it': [
    '"Specs"',
    list(tab('Specs', 'href="/shown#p-Specs"', 'a')) + about + panel('Specs'),
  ],
  'bodies of tabs that are elements of a framework': [
    '"Specs"',
    list(tab('Specs', '', 'div')) +
      about +
      '<mat-tab-body role="tabpanel" id="p-Specs" style="visibility: hidden"><div class="content"></div></mat-tab-body>',
  ],
  'items with links to their panels': [
    '"Specs"',
    list('<li role="tab" aria-controls="b" aria-selected="false" aria-expanded="false"><a href="#b">Specs</a></li>') +
      about +
      panel('b').replace('p-b', 'b'),
  ],
  'a spinner and no word in the panel': [
    '"Specs"',
    list(tab('Specs')) + about + panel('Specs', ' <div class="spinner"><span></span></div>\n<br>'),
  ],
  'a tab without an id': [
    '"Specs"',
    list('<div role="tab" aria-controls="p-Specs">Specs</div>') + about + panel('Specs'),
  ],
  'more tabs than are named': [
    '"Specs", "Reviews", "Size and weight" and 2 more',
    empty('Specs', 'Reviews', 'Size and weight', 'Care', 'Repair'),
  ],
  'quotes and long names': [
    `"${shorten("'A' ".repeat(40).trim(), 60)}"`,
    list(tab('"A" '.repeat(40)).replace(/ id="[^"]*"/, '')) + about + panel('"A" '.repeat(40)),
  ],
  'names with characters that nobody sees': [
    '"Specs"',
    list(tab('Specs')).replace('>Specs<', '>Sp&#x202e;e&#x2066;cs&#7;<') + about + panel('Specs'),
  ],
  'classes for what would be disabled': [
    '"Specs", "Reviews"',
    list(
      tab('Specs', 'class="inline-flex disabled:opacity-50"'),
      tab('Reviews', 'class="not-disabled"'),
      tab('Care', 'class="is-disabled"'),
      tab('Repair', 'class="Mui-disabled"'),
    ) +
      about +
      ['Specs', 'Reviews', 'Care', 'Repair'].map((name) => panel(name)).join(''),
  ],
  'panes of Bootstrap, whose tabs are in a nav': [
    '"Specs"',
    `<nav><div class="nav nav-tabs" role="tablist">${chosen}${tab('Specs')}</div></nav><div class="tab-content">${about}${panel('Specs')}</div>`,
  ],
  'tabs in the head of a section': [
    '"Specs"',
    `<section><header>${list(tab('Specs'))}</header>${about}${panel('Specs')}</section>`,
  ],
  'names of parts that only sound like a slider or a notice': [
    '"Specs"',
    `<div class="has-cookie-notice no-slider" id="page-swiper">${empty('Specs')}</div>`,
  ],
  'fields that are none to log in with': [
    '"Specs"',
    list(tab('Specs')) +
      about.replace(light, '<form><input type="hidden"><input type="number" value="1"><select></select></form>$&') +
      panel('Specs'),
  ],
  'parts of the panel that are empty': [
    '"Specs"',
    list(tab('Specs')) +
      about +
      panel(
        'Specs',
        '<h2></h2><ul></ul><ol></ol><template>Brass</template><p><i></i><b></b><em></em><strong></strong></p>',
      ),
  ],
  'a part without content that names the tab': [
    '"Specs"',
    `${empty('Specs')}<div aria-labelledby="t-Specs"><p></p></div>`,
  ],
  'some that are filled': [
    '"Reviews"',
    list(tab('Specs'), tab('Reviews')) + about + panel('Specs', light) + panel('Reviews'),
  ],
  'parts whose properties are fields of a form': [
    '"Specs"',
    `<form role="tablist"><input name="closest"></form><form><input name="children" type="number"><p>A</p><p>B</p></form>${empty('Specs', 'Reviews')}<script>document.getElementById("p-Reviews").innerHTML = '<form><input name="matches"></form>'</script>`,
  ],
  'an icon with a link in a tab beside another': [
    '"Reviews"',
    list(
      tab('Specs <svg width="9" height="9"><a href="/specs"></a></svg>').replaceAll(/(t|p)-Specs[^"]*/g, '$1-Specs'),
      tab('Reviews'),
    ) +
      about +
      panel('Specs') +
      panel('Reviews'),
  ],
  'a panel that is not there': ['"Specs"', `${list(tab('Specs', 'data-fills="p-About"'))}${about}`],
  'tabs that name no panels, of which one is there': [
    '"Specs", "Reviews"',
    `<div>${bare('About', 'Specs', 'Reviews')}</div><div class="window" id="below"><div class="item">${light}</div></div>`,
  ],
  'two lists': [
    '"Specs", "Inside"',
    `${empty('Specs')}<section><div role="tablist"><button role="tab" aria-selected="true" aria-controls="o">Outside</button>${tab('Inside')}</div><div role="tabpanel" id="o">Brass</div>${panel('Inside')}</section>`,
  ],
};

const products = times(6, (at) => `<article><h3><a href="/${at}">Lamp ${at}</a></h3>${light}</article>`);
const carousel = (slide: (at: number) => string, name: (at: number) => string, more = '') =>
  `<div ${more}><div role="tablist">${times(3, (at) => `<button role="tab" aria-selected="${String(at === 0)}" aria-controls="s${at}">${name(at)}</button>`)}</div>
  ${times(3, (at) => `<div role="tabpanel" id="s${at}" ${at > 0 ? 'hidden' : ''}>${slide(at)}</div>`)}</div>`;
/** By what they are. */
const silent: Record<string, string> = {
  'all panels filled': list(tab('Specs'), tab('Reviews')) + about + panel('Specs', 'Brass') + panel('Reviews', light),
  'panes of Bootstrap, filled': `<ul class="nav nav-tabs" role="tablist"><li><a role="tab" href="#a" aria-controls="a" aria-selected="true">About</a></li><li><a role="tab" href="#b" aria-controls="b" aria-selected="false">Specs</a></li></ul><div class="tab-content"><div role="tabpanel" class="tab-pane" id="a">${light}</div><div role="tabpanel" class="tab-pane" id="b" style="display: none">Brass</div></div>`,
  'panels that a framework mounts late, with a text': list(tab('Specs')) + about + panel('Specs', 'Loading…'),
  'groups of code': `<div role="tablist"><button role="tab" aria-selected="true" aria-controls="c1">npm</button><button role="tab" aria-selected="false" aria-controls="c2">yarn</button></div><div role="tabpanel" id="c1"><pre>npm i lamp</pre></div><div role="tabpanel" id="c2" hidden><pre>yarn add lamp</pre></div>`,
  'a picture in the panel': list(tab('Specs')) + about + panel('Specs', '<img src="data:," alt="">'),
  'a video in the panel': list(tab('Film')) + about + panel('Film', '<video></video>'),
  'a frame in the panel': list(tab('Map')) + about + panel('Map', '<iframe></iframe>'),
  'a formula and a meter in the panel': list(tab('Specs')) + about + panel('Specs', '<math></math><meter></meter>'),
  'a background in the panel':
    list(tab('Specs')) + about + panel('Specs', '<div style="background-image: url(data:,)"></div>'),
  'a panel that is drawn': list(tab('Specs')) + about + panel('Specs', '', 'style="height: 90px; background: red"'),
  'an open shadow tree': `${empty('Specs')}<script>document.getElementById("p-Specs").attachShadow({ mode: "open" }).innerHTML = "Brass"</script>`,
  'a closed shadow tree': `${list(tab('Specs')) + about + panel('Specs', '<x-specs></x-specs>')}<script>customElements.define("x-specs", class extends HTMLElement { constructor() { super(); this.attachShadow({ mode: "closed" }).innerHTML = "Brass" } })</script>`,
  'a tab that controls nothing':
    list('<button role="tab" aria-selected="false">Specs</button>') + about + panel('Specs'),
  'a list that tabs without panels filter': `${bare('All', 'Lamps')}<ul>${times(4, (at) => `<li><a href="/${at}">Lamp ${at}</a></li>`)}</ul>`,
  'tabs without panels whose content is there': `${bare('About', 'Specs')}<div><div>${light}</div><div hidden>Brass</div></div>`,
  'tabs without panels above panels of their own': `${bare('About', 'Specs')}<div><div role="tabpanel">${light}</div><div role="tabpanel">Brass</div></div>`,
  'tabs without panels and nothing below': `<div>${bare('About', 'Specs')}</div>`,
  'a closed part alone':
    '<div class="item"><button aria-expanded="false">Filter</button></div><div class="other"><button aria-expanded="false">Sort</button></div>',
  'closed parts that have their text': times(
    3,
    (at) => `<div class="item"><button aria-expanded="false">Question ${at}</button><p hidden>${light}</p></div>`,
  ),
  'closed parts of a navigation': `<nav>${times(3, (at) => `<div class="item"><button aria-expanded="false">Part ${at}</button></div>`)}</nav>`,
  'what is controlled is no panel': `${list(tab('Specs'))}${about}<div id="p-Specs" hidden></div>`,
  'several things are controlled':
    list('<button role="tab" aria-selected="false" aria-controls="p-Specs p-More">Specs</button>') +
    about +
    panel('Specs') +
    panel('More'),
  'ids that are empty':
    list('<button role="tab" id="" aria-selected="false" aria-controls="">Specs</button>') +
    about +
    '<div role="tabpanel" id="" aria-labelledby="" hidden></div>',
  'ids that are doubled': list(tab('Specs')) + about + panel('Specs') + panel('Specs', 'Brass'),
  'a tab whose id another has': `${list('<button role="tab" id="t2" aria-selected="false">Specs</button>')}${about}<div role="tabpanel" aria-labelledby="t2" hidden></div><p id="t2">Brass</p>`,
  'panels beside the page': `${list(tab('Specs'))}${about}<aside>${panel('Specs')}</aside>`,
  'two tabs with the same panel beside another':
    list(tab('Specs'), tab('Specs').replace('t-Specs', 't-2')) + about + panel('Specs'),
  'stubs of panels, with the content below': `${list(tab('Lamps'), tab('Tables'))}${panel('About', '', '')}${panel('Lamps')}${panel('Tables')}${products}`,
  'no tab is chosen': empty('Specs').replace('aria-selected="true"', ''),
  'sorting tabs without panels': list(tab('Newest'), tab('Cheapest')) + products,
  'tabs with one panel for all': `<div role="tablist"><button role="tab" id="s1" aria-controls="s" aria-selected="true">Day</button><button role="tab" id="s2" aria-controls="s" aria-selected="false">Year</button></div><div role="tabpanel" id="s" aria-labelledby="s1">${light}</div>`,
  'filters that control a list': `<div role="tablist"><button role="tab" aria-selected="true" aria-controls="found">All</button><button role="tab" aria-selected="false" aria-controls="found">Lamps</button></div><ul id="found">${times(4, (at) => `<li>Lamp ${at}</li>`)}</ul>`,
  'filters beside a list': `<aside>${empty('Color', 'Size')}</aside>${products}`,
  'tabs that are links to other pages':
    list(tab('Specs', 'href="/specs"', 'a'), tab('Reviews', 'href="/tabs?tab=reviews"', 'a')) +
    about +
    panel('Specs') +
    panel('Reviews'),
  'tabs that are routes': list(tab('Specs', 'href="#/specs"', 'a')) + about + panel('Specs'),
  'a tab that leads to an address':
    list(tab('Specs', `onclick="location.href = '/specs'"`), tab('Reviews', 'data-href="/reviews"')) +
    about +
    panel('Specs') +
    panel('Reviews'),
  'navigation of the site': `<nav>${empty('Specs')}</nav>`,
  'a head of the site': `</main><header>${empty('Specs')}</header><main>`,
  'a foot of the site': `<footer>${empty('Specs')}</footer>`,
  'what is beside the page': `<div role="complementary">${empty('Specs')}</div>`,
  'a form': `<form>${empty('Specs')}</form>`,
  'a login': `<div role="tablist"><button role="tab" aria-selected="true" aria-controls="in">Log in</button>${tab('Register')}</div><div role="tabpanel" id="in"><p>Welcome back</p><input type="email"></div>${panel('Register')}`,
  'a dialog about cookies': `<div role="dialog" aria-label="Cookies">${empty('Details')}</div>`,
  'a notice about cookies': `<div class="cookie-banner">${empty('Details')}</div>`,
  'content in another part that names the tab': `${empty('Specs')}<section aria-labelledby="t-Specs"><p>Brass</p></section>`,
  'a dialog': `<dialog open>${empty('Specs')}</dialog>`,
  'share icons': `<div role="tablist" aria-label="Share">${tab('<svg width="20" height="20"></svg>')}</div>${about}<p>${times(3, () => '<button><svg width="20" height="20"></svg></button>')}</p>`,
  'dots of pictures': carousel(
    (at) => `<img src="data:,${at}" alt="">`,
    (at) => `View ${at + 1}`,
  ),
  'dots of backgrounds': carousel(
    (at) => `<div style="background-image: url(data:,${at})"></div>`,
    (at) => `View ${at + 1}`,
  ),
  'dots with numbers': carousel(
    (at) => (at === 0 ? light : ''),
    (at) => String(at + 1),
  ),
  'dots with a name that is only heard': carousel(
    (at) => (at === 0 ? light : ''),
    () => '<i aria-label="Slide"></i>',
  ),
  'dots of a carousel': carousel(
    (at) => (at === 0 ? light : ''),
    (at) => `View ${at + 1}`,
    'aria-roledescription="carousel"',
  ),
  'dots of a slider by its class': carousel(
    (at) => (at === 0 ? light : ''),
    (at) => `View ${at + 1}`,
    'class="hero slider-dots"',
  ),
  'a tab that is disabled':
    list(tab('Specs', 'disabled'), tab('Reviews', 'aria-disabled="true"'), tab('Care', 'class="is-disabled"')) +
    about +
    panel('Specs') +
    panel('Reviews') +
    panel('Care'),
  'a tab that is hidden':
    list(tab('Specs', 'hidden'), tab('Reviews', 'style="opacity: 0"'), tab('Care', 'style="transform: scale(0)"')) +
    about +
    panel('Specs') +
    panel('Reviews') +
    panel('Care'),
  'a tab that says that it has nothing':
    list(tab('Reviews (0)'), tab('Questions 0')) + about + panel('Reviews (0)') + panel('Questions 0'),
  'tabs in a frame': `<p>The lamp</p><iframe srcdoc="${empty('Specs').replaceAll('"', "'")}"></iframe>`,
  'a folded menu': '<button aria-controls="menu" aria-expanded="false">Menu</button><div id="menu" hidden></div>',
  'a part of the page with the same heading': `${empty('Specs')}<h2>Specs</h2><p>Brass</p>`,
  'an accordion of the same, for phones': `${empty('Specs')}<button aria-expanded="false">Specs</button><p hidden>Brass</p>`,
  'an accordion': times(
    3,
    (at) =>
      `<h3><button aria-expanded="false" aria-controls="a${at}">Question ${at}</button></h3><div id="a${at}" role="region" hidden>${light}</div>`,
  ),
  'buttons of a table that open menus': `<table>${times(4, (at) => `<tr><td>Order ${at}</td><td><button aria-expanded="false" aria-controls="m${at}">Actions</button></td></tr>`)}</table>`,
};

describe('tabs of a rendered page whose content only a click shows', () => {
  let site: FaultySite;
  let service: TestService;
  before(async () => {
    [site, service] = await Promise.all([startFaultySite(), startTestService(chosenBrowsers)]);
  });
  after(() => Promise.all([site.close(), service.close()]));

  /** Shows what a tab has when it is chosen. */
  const fills =
    '<script>document.documentElement.onclick = ({ target }) => { const to = document.getElementById(target.dataset.fills ?? target.getAttribute("aria-controls")); to.hidden = false; to.textContent = "What " + target.innerText + " shows"; }</script>';
  async function read(body: string, options: object = {}) {
    site.answer('/shown', page(`<main><h1>A lamp</h1>${fills}${body}</main>`));
    const { data } = (await service.call('POST', '/v2/scrape', { url: `${site.baseUrl}/shown`, ...options })).body;
    assert.equal(data.metadata.readAs, 'rendered');
    return data as { warning: string | null; actions?: { scrapes: { html: string }[] } };
  }

  it('names them, with the actions that get it', async () => {
    const { warning } = await read(empty('Specs', 'Reviews'));
    const actions = ['#t-Specs', '#t-Reviews'].flatMap((selector) => [{ type: 'click', selector }, { type: 'scrape' }]);
    assert.equal(
      warning,
      `Tabs of the page may load what they show only when they are clicked, so it may be missing: "Specs", "Reviews". To get it, set actions: ${JSON.stringify(actions)}.`,
    );
    const { scrapes } = (await read(empty('Specs', 'Reviews'), { actions })).actions ?? {};
    const shown = scrapes?.map(({ html }) => html.match(/What \w+ shows(?=<\/div>)/g));
    assert.deepEqual(shown, [['What Specs shows'], ['What Specs shows', 'What Reviews shows']]);
  });

  it('says it of the kinds that tabs have', async () => {
    for (const [kind, [said, body]] of Object.entries(missing)) {
      const warning = (await read(body)).warning ?? '';
      assert.ok(warning.includes(`so it may be missing: ${said}. To get it, `), `${kind}: ${warning}`);
      const actions = JSON.parse(/set actions: (\[.*\])\.$/.exec(warning)?.[1] ?? '[]');
      const { actions: done } = await read(body, { actions });
      for (const { html } of done?.scrapes ?? []) assert.match(html, /What .{1,200} shows/s, kind);
      assert.equal(done?.scrapes.length, actions.length / 2, kind);
    }
  });

  it('says it of closed parts that are put into the page when they are opened', async () => {
    const panels = times(
      3,
      (at) => `<div class="panel"><button class="title" aria-expanded="false">Question ${at + 1}</button></div>`,
    );
    const opens =
      '<script>document.documentElement.onclick = ({ target }) => target.insertAdjacentHTML("afterend", "<p>What " + target.innerText + " shows</p>")</script>';
    for (const body of [
      panels,
      panels.replaceAll('<button', '<h3><button').replaceAll('</button>', '</button></h3>'),
    ]) {
      const { warning } = await read(opens + body);
      assert.match(
        warning ?? '',
        /^Closed parts of the page may .* missing: "Question 1", "Question 2", "Question 3"\./,
      );
      const actions = JSON.parse(/set actions: (\[.*\])\.$/.exec(warning ?? '')?.[1] ?? '[]');
      const { scrapes = [] } = (await read(opens + body, { actions })).actions ?? {};
      assert.match(scrapes.at(-1)?.html ?? '', /What Question 1 shows.*What Question 3 shows/s);
    }
  });

  it('says it of parts that are said to have several things, and have a form alone', async () => {
    const of = (label: string, inner: string) =>
      `<div class="title"><a href="#reviews" id="label">${label}</a></div><div id="reviews" hidden><div id="all"></div>${inner}<div><b>Write your own</b><form><p>Your review</p><textarea></textarea></form></div></div>`;
    const { warning } = await read(of('Reviews <span>3</span>', ''));
    assert.match(warning ?? '', /^Closed parts of the page may .* missing: "Reviews 3"\. .*"#label"/);
    for (const some of [of('Reviews', ''), of('Reviews (0)', ''), of('Reviews 3', '<p>It burns well.</p>')])
      assert.equal((await read(some)).warning ?? undefined, undefined, some);
  });

  it('says it of cards that open something', async () => {
    const cards = (open: string) =>
      `<style>.card { cursor: pointer }</style>${times(4, (at) => `<div class="column"><div class="card" tabindex="0">${open}<p>Ola of the coast, guide ${at}</p></div></div>`)}`;
    const { warning } = await read(cards(''));
    assert.match(
      warning ?? '',
      /^4 cards of the page seem to open something .*"Ola of the coast, guide 0" and others\. .*"div\.card"/,
    );
    assert.equal((await read(cards('<a href="/ola">Ola</a>'))).warning ?? undefined, undefined);
  });

  it('says nothing of other parts of a page', async () => {
    const said: string[] = [];
    for (const [kind, body] of Object.entries(silent)) {
      const { warning } = await read(body);
      if (warning) said.push(`${kind}: ${warning}`);
    }
    assert.deepEqual(said, []);
  });

  it('says it once of a crawl, whatever the tabs of its pages are called', async () => {
    site.answer('/1', page(`<main><h1>One</h1>${fills}${empty('Specs')}<a href="/2">Two</a></main>`));
    site.answer('/2', page(`<main><h1>Two</h1>${fills}${empty('Care', 'Repair', 'Size', 'Wood')}</main>`));
    const { warning } = await crawl(service, { url: `${site.baseUrl}/1`, crawlEntireDomain: true, sitemap: 'skip' });
    assert.match(
      warning,
      /^A page of the crawl is incomplete, so pages may be missing: \S+\/1: Tabs of .* The same is true of 1 more of the pages read\.$/,
    );
  });
});
