import { createHash } from 'node:crypto';
import { linking } from './crawl-jobs.ts';
import { type FaultySite, startFaultySite } from './faulty-site.ts';

const months = 'January February March April May June July August September October November December'.split(' ');
const weekdays = 'Monday Tuesday Wednesday Thursday Friday Saturday Sunday'.split(' ');
const syllables = 'ba ce di fo gu ha je ki lo mu na pe ri so tu va we xi yo zu'.split(' ');

/** Returns a sentence that no other number has. */
export function sentenceOf(number: number, words = 25): string {
  const digest = createHash('sha256').update(String(number)).digest();
  return Array.from({ length: words }, (_, index) => {
    const [one = 0, other = 0, third = 0] = [
      digest[index % 32],
      digest[(index * 7 + 1) % 32],
      digest[(index * 3 + 2) % 32],
    ];
    return [one, other + index, third].map((each) => syllables[each % syllables.length]).join('');
  }).join(' ');
}

/** A page with links that says so much of its own that no crawl reads it again to compare it with another. */
export function telling(number: number, ...links: string[]): string {
  return linking(`Page ${number}`, ...links).replace('<ul>', `<p>${sentenceOf(number, 60)}</p><ul>`);
}

function html(title: string, body: string): string {
  return `<!doctype html><title>${title}</title><main><h1>${title}</h1>${body}</main>`;
}

const links = (paths: readonly string[]) =>
  paths.map((path) => `<a href="${path}">${path.split(/[/?=&]/).at(-1)}</a>`).join(' ');
const item = (number: number) => `<li><a href="/item/${number}">${sentenceOf(number, 4)}</a></li>`;
const size = 10;

/** Parts of a site without end, and long series that end. */
export const parts: Readonly<Record<string, (url: URL, requests: number) => string | undefined>> = {
  /** Months, with their number in the query. */
  '/calendar': ({ searchParams }) => {
    const [year = 2026, month = 11] = (searchParams.get('month') ?? '2026-11').split('-').map(Number);
    const at = (offset: number) => new Date(Date.UTC(year, month - 1 + offset, 1)).toISOString().slice(0, 7);
    const first = new Date(Date.UTC(year, month - 1, 1)).getUTCDay();
    const days = Array.from({ length: 35 }, (_, index) =>
      index < first || index - first > 29 ? '' : index - first + 1,
    );
    const rows = Array.from(
      { length: 5 },
      (_, week) =>
        `<tr>${days
          .slice(week * 7, week * 7 + 7)
          .map((day) => `<td>${day}</td>`)
          .join('')}</tr>`,
    );
    const title = `${months[month - 1]} ${year}`;
    return html(
      title,
      `<table>${rows.join('')}</table>${links([`/calendar?month=${at(1)}`, `/calendar?month=${at(-1)}`])}`,
    );
  },
  /** Days, with their date in the path. */
  '/agenda': ({ pathname }) => {
    const [, , year = '2026', month = '11', day = '24'] = pathname.split('/');
    const at = (offset: number) =>
      `/agenda/${new Date(Date.UTC(Number(year), Number(month) - 1, Number(day) + offset)).toISOString().slice(0, 10).replaceAll('-', '/')}`;
    const date = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day)));
    const title = `${weekdays[date.getUTCDay()]}, ${Number(day)} ${months[date.getUTCMonth()]} ${year}`;
    return html(title, `<p>No events on this day.</p>${links([at(1), at(-1)])}`);
  },
  /** A list that can be filtered and sorted in any combination, with its pages. */
  '/shop': ({ searchParams }) => {
    const page = Number(searchParams.get('page') ?? 0);
    const first = page * size + (searchParams.get('color')?.length ?? 0);
    const items = Array.from({ length: size }, (_, index) => first + index).filter((number) => number < 120);
    if (searchParams.get('sort') === 'price') items.reverse();
    const filters: Record<string, string[]> = {
      color: ['red', 'blue', 'green'],
      sort: ['price', 'name', 'date'],
      size: ['s', 'm', 'l', 'xl'],
      view: ['grid', 'list'],
      brand: ['acme', 'globex', 'initech', 'umbrella'],
      stock: ['yes', 'no'],
    };
    const combined = Object.entries(filters).flatMap(([name, values]) =>
      values.map((value) => {
        const query = new URLSearchParams(searchParams);
        query.set(name, value);
        return `/shop?${query}`;
      }),
    );
    const next = new URLSearchParams(searchParams);
    next.set('page', String(page + 1));
    const more = (page + 1) * size < 120 ? [`/shop?${next}`] : [];
    return html('Shop', `<ul>${items.map(item).join('')}</ul>${links([...more, ...combined])}`);
  },
  '/item': ({ pathname }) =>
    html(`Item ${pathname.split('/')[2]}`, `<p>${sentenceOf(Number(pathname.split('/')[2]))}</p>`),
  /** Pages whose links have another id of the visit each time. */
  '/visit': ({ pathname }, requests) => {
    const name = pathname.split('/')[2] ?? 'start';
    const names = ['start', 'about', 'contact', 'terms'];
    return html(
      `Visit ${name}`,
      `<p>${sentenceOf(names.indexOf(name) + 5000)}</p>${links(names.map((each) => `/visit/${each}?visitor=v${requests}x`))}`,
    );
  },
  /** Relative links that are one folder too deep. */
  '/deep': () => html('Deep', `<p>${sentenceOf(7000)}</p><a href="more/">More</a>`),
  /** An archive of posts that lead to the next one only. */
  '/archive': ({ pathname }) => {
    const number = Number(pathname.split('/')[2] ?? 1);
    const next = number < 300 ? [`/archive/${number + 1}`] : [];
    return html(`Post ${number}`, `<p>${sentenceOf(9000 + number)}</p>${links(next)}`);
  },
  /** Pages of a list, each with the next one; its rows are no links. */
  '/log': ({ searchParams }) => {
    const page = Number(searchParams.get('page') ?? 1);
    const rows = Array.from({ length: size }, (_, index) => `<tr><td>Order</td><td>${page * 1000 + index}</td></tr>`);
    const next = page < 100 ? [`/log?page=${page + 1}`] : [];
    return html('Log', `<table>${rows.join('')}</table>${links(next)}`);
  },
};

/** A site with all parts, which the start page links to. */
export async function startTrapSite(): Promise<FaultySite> {
  let requests = 0;
  const site = await startFaultySite({
    otherwise: (_request, response, url) => {
      const part = `/${url.pathname.split('/')[1]}`;
      const body = parts[part]?.(url, ++requests);
      response.writeHead(body === undefined ? 404 : 200, { 'content-type': 'text/html' }).end(body ?? 'Not found');
    },
  });
  site.answer(
    '/',
    linking('Home', ...Object.keys(parts).filter((path) => path !== '/item' && path !== '/deep'), '/deep/'),
  );
  return site;
}
