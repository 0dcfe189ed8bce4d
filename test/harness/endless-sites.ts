import { createHash } from 'node:crypto';
import { type FaultySite, startFaultySite } from './faulty-site.ts';
import { sentenceOf } from './trap-site.ts';

/** Names of 30 pages that are all different. */
const names = Array.from({ length: 30 }, (_, number) => sentenceOf(number, 2).replace(' ', '-'));
const html = (title: string, body: string) =>
  `<!doctype html><title>${title}</title><main><h1>${title}</h1>${body}</main>`;
const link = (to: string, text = to.replace(/\?.*/, '').split('/').at(-1) ?? '') =>
  `<a href="${to.replaceAll('&', '&amp;')}">${text}</a>`;
const links = (paths: readonly string[]) => paths.map((path) => link(path)).join(' ');
const all = names.map((name) => `/${name}`);

/** Returns the text of a page, of so many words. */
type Text = (name: string) => string;
type Answer = (url: URL, requests: number, text: Text) => string | undefined;

/** The 30 pages, with links on each of them. */
function pages(url: URL, text: Text, more: (name: string) => string): string | undefined {
  const [, name = ''] = url.pathname.split('/');
  return names.includes(name) ? html(name, `<p>${text(name)}</p>${more(name)}`) : undefined;
}

/** Sites with 30 pages that answer more URLs than anybody can read. */
export const endlessSites: Readonly<Record<string, { answer: Answer; page?: (url: URL) => string }>> = {
  'a query that grows': {
    answer: (url, _requests, text) => {
      const more = [1, 2, 3].map((v) => link(`${url.pathname}?${url.search.slice(1)}&v=${v}`, String(v))).join(' ');
      if (url.pathname === '/') return html('Home', `<p>${text('home')}</p>${more}${link(all[0] ?? '')}`);
      return pages(url, text, (name) => more + links(all.slice(all.indexOf(`/${name}`) + 1).slice(0, 1)));
    },
  },
  'relative menus that nest': {
    page: ({ pathname }) => `/${pathname.split('/').at(-2)}`,
    answer: ({ pathname }, _requests, text) => {
      const folders = pathname.split('/').slice(1, -1);
      if (folders.some((folder) => !names.includes(folder))) return undefined;
      const menu = `<ul>${names.map((name) => `<li>${link(`${name}/`)}</li>`).join('')}</ul>`;
      return html(folders.at(-1) ?? 'Home', `${menu}<p>${text(folders.at(-1) ?? 'home')}</p>`);
    },
  },
  'two folders that alternate': {
    page: ({ pathname }) => (/(about|news)\/$/.test(pathname) ? `/${pathname.split('/').at(-2)}/` : pathname),
    answer: (url, _requests, text) => {
      const last = url.pathname.split('/').at(-2) ?? '';
      const both = `${link('about/')} ${link('news/')}`;
      if (url.pathname === '/') return html('Home', `<p>${text('home')}</p>${both}${links(all.slice(0, 15))}`);
      if (/^(about|news)$/.test(last))
        return html(last, `<p>${text(last)}</p>${both}${last === 'news' ? links(all.slice(15)) : ''}`);
      return pages(url, text, () => link('/'));
    },
  },
  'the id of a visit in a query': {
    answer: (url, requests, text) => {
      const at = (path: string, index: number) =>
        link(`${path}?token=${createHash('sha1').update(`${requests} ${index}`).digest('hex').slice(0, 16)}`);
      if (url.pathname === '/') return html('Home', `<p>${text('home')}</p>${all.slice(0, 3).map(at).join(' ')}`);
      return pages(url, text, (name) => {
        const next = names.indexOf(name) + 1;
        return [...all.slice(next, next + 3), '/', all[0] ?? ''].map(at).join(' ');
      });
    },
  },
  'the id of a visit in the path': {
    page: ({ pathname }) => `/${pathname.split('/').at(-1)}`,
    answer: ({ pathname }, requests, text) => {
      const name = pathname.split('/').at(-1) ?? '';
      const id = createHash('sha1').update(String(requests)).digest('hex').slice(0, 12);
      const next = names.indexOf(name) + 1;
      const more = [...names.slice(next, next + 3), ...names.slice(0, 2)].map((each) => link(`/s/${id}/${each}`));
      if (name !== '' && !names.includes(name)) return undefined;
      return html(name || 'Home', `<p>${text(name || 'home')}</p>${more.join(' ')}`);
    },
  },
  'months in a query': {
    page: ({ pathname }) => pathname,
    answer: (url, _requests, text) => {
      const [year = 2026, month = 11] = (url.searchParams.get('month') ?? '2026-11').split('-').map(Number);
      const at = (offset: number) => new Date(Date.UTC(year, month - 1 + offset, 1));
      const monthLink = (offset: number) => link(`/calendar?month=${at(offset).toISOString().slice(0, 7)}`);
      if (url.pathname === '/')
        return html('Home', `<p>${text('home')}</p>${link('/calendar')}${links(all.slice(0, 15))}`);
      if (url.pathname !== '/calendar') return pages(url, text, () => link('/calendar?month=2026-12'));
      const days = Array.from({ length: 30 }, (_, day) => `<td>${day + 1}</td>`).join('');
      const title = at(0).toLocaleString('en', { month: 'long', year: 'numeric', timeZone: 'UTC' });
      return html(title, `<table><tr>${days}</tr></table>${monthLink(1)} ${monthLink(-1)} ${links(all.slice(15))}`);
    },
  },
  'days in the path': {
    page: ({ pathname }) => (pathname.startsWith('/day/') ? '/day' : pathname),
    answer: (url, _requests, text) => {
      const day = new Date(url.pathname.slice(5).replaceAll('/', '-'));
      const at = (offset: number) => new Date(day.getTime() + offset * 86_400_000).toISOString().slice(0, 10);
      if (url.pathname === '/') return html('Home', `<p>${text('home')}</p>${link('/day/2026/11/26')}${links(all)}`);
      if (!url.pathname.startsWith('/day/')) return pages(url, text, () => link('/'));
      const near = [1, -1, 7, 30].map((offset) => link(`/day/${at(offset).replaceAll('-', '/')}`, 'go')).join(' ');
      return html(day.toDateString(), `<p>No events on this day.</p>${near}`);
    },
  },
  'a form for each comment': {
    answer: (url, _requests, text) => {
      if (url.pathname === '/') return html('Home', `<p>${text('home')}</p>${links(all.slice(0, 10))}`);
      return pages(url, text, (name) => {
        const at = names.indexOf(name);
        const replies = Array.from({ length: 5 }, (_, reply) =>
          link(`/${name}?replytocom=${at * 10 + reply}#respond`, 'Reply'),
        );
        return `${replies.join(' ')} ${links([10, 20].flatMap((step) => all[at + step] ?? []))}`;
      });
    },
  },
  'a login that leads back': {
    answer: (url, _requests, text) => {
      const login = (to: string) => link(`${to}?next=${encodeURIComponent(url.pathname + url.search)}`, 'Log in');
      if (url.pathname === '/')
        return html('Home', `${login('/login')}<p>${text('home')}</p>${links(all.slice(0, 10))}`);
      if (url.pathname === '/login') return html('Log in', `<p>Who are you?</p>${login('/login')}${login('/forgot')}`);
      if (url.pathname === '/forgot') return html('Forgot', `<p>We send you a link.</p>${login('/login')}`);
      return pages(url, text, (name) => {
        const at = names.indexOf(name);
        return login('/login') + links([10, 20].flatMap((step) => all[at + step] ?? []));
      });
    },
  },
};

/** What sites add to each answer: it is another one for each request, whatever the URL is. */
export const changes: Readonly<Record<string, (request: number) => string>> = {
  nothing: () => '',
  'a counter': (request) => `<p>You are visitor ${1000 + request}.</p>`,
  'the time': (request) => `<p>It is 17:${10 + Math.floor(request / 60)}:${10 + (request % 60)} GMT.</p>`,
  'an id and a duration': (request) =>
    `<p>Request ${createHash('sha1').update(String(request)).digest('hex').slice(0, 8)}x1 took 0.${100 + request} s</p>`,
  'another word': (request) => `<p>Our tip of the day is ${sentenceOf(request, 1)}.</p>`,
};

/** Starts one of these sites; its texts have so many words. */
export async function startEndlessSite(
  name: string,
  words: number,
  change: (request: number) => string = () => '',
): Promise<FaultySite> {
  let requests = 0;
  const text: Text = (page) => sentenceOf(names.indexOf(page) + 100, words);
  return await startFaultySite({
    otherwise: (_request, response, url) => {
      const body = endlessSites[name]?.answer(url, ++requests, text);
      response
        .writeHead(body === undefined ? 404 : 200, { 'content-type': 'text/html' })
        .end(body?.replace('</main>', `${change(requests)}</main>`) ?? 'Not found');
    },
  });
}

/** Returns which of the 30 pages are among these URLs, each once, and how many other URLs there are. */
export function countPages(name: string, urls: readonly string[]): { pages: number; others: number } {
  const pageOf = endlessSites[name]?.page ?? (({ pathname }: URL) => pathname);
  const found = urls.map((url) => pageOf(new URL(url)));
  const pages = new Set(found.filter((path) => all.includes(path)));
  return { pages: pages.size, others: urls.length - pages.size };
}
