import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pdfOf } from '../harness/pdf.ts';

export interface ClientsSite {
  url: string;
  /** Webhook deliveries that arrived at /hook/NAME, as parsed JSON. */
  deliveries(name: string): Record<string, unknown>[];
  /** Queries that arrived at /search, which answers as SearXNG does. */
  searches: URLSearchParams[];
  close(): Promise<void>;
}

const rooms = ['rooms/attic', 'rooms/cellar', 'rooms/kitchen'];

const pages: Record<string, string> = {
  '': `<h1>Lighthouse</h1><p>A house by the sea with three rooms.</p><img src="/lamp.png" alt="Lamp">
    <ul>${rooms.map((room) => `<li><a href="/${room}">${room}</a></li>`).join('')}<li><a href="/prices">Prices</a></li></ul>`,
  prices: '<h1>Prices</h1><p class="price" data-euros="120">A night costs 120 euros.</p>',
  form: `<h1>Booking</h1><label>Name <input id="name"></label><button onclick="document.title = 'Booked ' + document.getElementById('name').value;
    document.querySelector('p').textContent = 'Booked for ' + document.getElementById('name').value">Book</button><p>Free</p>`,
  rendered: `<h1>Tide</h1><p id="tide"></p><script>setTimeout(() => { document.getElementById('tide').textContent = 'High tide at noon.'; }, 50)</script>`,
  ...Object.fromEntries(rooms.map((room) => [room, `<h1>${room}</h1><p>All about the ${room.slice(6)}.</p>`])),
};

/** A small site on loopback, a receiver of webhooks and a search engine over the site, in one. */
export async function startClientsSite(): Promise<ClientsSite> {
  const received = new Map<string, Record<string, unknown>[]>();
  const searches: URLSearchParams[] = [];
  const server = createServer(async (request, response) => {
    const { pathname, searchParams, origin } = new URL(request.url ?? '', `http://${request.headers.host}`);
    const path = decodeURIComponent(pathname.slice(1));
    const send = (type: string, body: string | Uint8Array) => {
      response.writeHead(200, { 'content-type': type }).end(body);
    };
    if (path.startsWith('hook/')) {
      let text = '';
      for await (const chunk of request.setEncoding('utf8')) text += chunk;
      received.set(path.slice(5), [...(received.get(path.slice(5)) ?? []), JSON.parse(text)]);
      return send('text/plain', 'ok');
    }
    if (path === 'search') {
      searches.push(searchParams);
      return send('application/json', JSON.stringify(resultsFor(searchParams, origin)));
    }
    if (path === 'robots.txt') return send('text/plain', `Sitemap: ${origin}/sitemap.xml\n`);
    if (path === 'sitemap.xml') {
      const urls = ['', 'prices', ...rooms].map((page) => `<url><loc>${origin}/${page}</loc></url>`).join('');
      return send('application/xml', `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${urls}</urlset>`);
    }
    // Jobs that read it run until they are canceled, however slow the client is.
    if (path === 'held') return;
    if (path === 'report.pdf') return send('application/pdf', pdfOf('Tides of March', 'Tides of April'));
    if (path === 'lamp.png') return send('image/png', Buffer.from('89504e470d0a1a0a', 'hex'));
    const body = pages[path];
    if (body === undefined) return response.writeHead(404).end();
    const title = /<h1>(.*?)<\/h1>/.exec(body)?.[1];
    send(
      'text/html; charset=utf-8',
      `<!doctype html><html lang="en"><title>${title}</title><main>${body}</main></html>`,
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    deliveries: (name) => received.get(name) ?? [],
    searches,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** What SearXNG answers with `format=json`: the pages of the site that have a word of the query. */
function resultsFor(query: URLSearchParams, origin: string): object {
  const words = (query.get('q') ?? '').toLowerCase().split(/\W+/).filter(Boolean);
  const categories = query.get('categories') ?? 'general';
  const results = Object.entries(pages).flatMap(([path, body]) => {
    const text = body
      .replaceAll(/<[^>]*>/g, ' ')
      .replaceAll(/\s+/g, ' ')
      .trim();
    if (!words.some((word) => text.toLowerCase().includes(word))) return [];
    return categories.split(',').map((category) => ({
      url: `${origin}/${path}`,
      title: /<h1>(.*?)<\/h1>/.exec(body)?.[1],
      content: text.slice(0, 100),
      category,
      engine: 'lighthouse',
      score: 1,
      ...(category === 'images' && { img_src: `${origin}/lamp.png`, resolution: '10x10' }),
      ...(category === 'news' && { publishedDate: '2026-11-20T10:00:00' }),
    }));
  });
  return { query: query.get('q'), number_of_results: results.length, results, answers: [], unresponsive_engines: [] };
}
