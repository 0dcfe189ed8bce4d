import { linking } from './crawl-jobs.ts';
import { type FaultySite, startFaultySite } from './faulty-site.ts';

const numbers = (count: number) => Array.from({ length: count }, (_, index) => index + 1);
const products = 60;
const perList = 12;

/** A site with a shop of 60 products on five lists, a blog of 30 posts and docs of 40 pages; the home page links to the sections only. */
export async function startShopSite(): Promise<FaultySite> {
  const site = await startFaultySite();
  const header = ['/', '/shop', '/blog', '/docs'];
  site.answer('/', linking('Home', ...header, 'https://elsewhere.test/partner'));
  site.answer('/shop', (_request, response, url) => {
    const page = Number(url.searchParams.get('page') ?? 1);
    const listed = numbers(perList).map((number) => `/product/${(page - 1) * perList + number}`);
    const lists = numbers(products / perList).map((number) => `/shop?page=${number}`);
    response
      .writeHead(200, { 'content-type': 'text/html' })
      .end(linking(`Shop, page ${page}`, ...header, ...listed, ...lists));
  });
  for (const number of numbers(products))
    site.answer(`/product/${number}`, linking(`Product ${number}`, ...header, '/shop'));
  const posts = numbers(30).map((number) => `/blog/post-${number}`);
  const docs = numbers(40).map((number) => `/docs/page-${number}`);
  site.answer('/blog', linking('Blog', ...header, ...posts));
  site.answer('/docs', linking('Docs', ...header, ...docs));
  for (const path of [...posts, ...docs]) site.answer(path, linking(path, ...header));
  return site;
}
