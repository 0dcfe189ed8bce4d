import assert from 'node:assert/strict';
import { convertPage } from '../../../src/service/web/scrape/convert/convert-page.ts';

const options = {
  url: 'https://site.test/docs/page',
  onlyMainContent: true,
  onlyCleanContent: false,
  removeBase64Images: true,
  markdown: true,
  html: false,
};
const dot = 'data:image/gif;base64,R0lGODlhAQABAAAAACw=';
const real = 'https://site.test/real.jpg';

describe('images', () => {
  /** Reads a page with a piece in it. Returns the images in its Markdown, and all that it lists. */
  function read(piece: string): { shown: string[]; images: string[] } {
    const { markdown = '', images } = convertPage(`<main><p>Words ${piece} and more.</p></main>`, options);
    assert.match(markdown, /and more\./);
    return { shown: [...markdown.matchAll(/!\[[^\]]*\]\(([^)]*)\)/g)].map(([, url = '']) => url), images };
  }
  const shows = (piece: string, ...urls: string[]) => assert.deepEqual(read(piece).shown, urls, piece);

  it('that load late are named by any attribute', () => {
    const names = `data-src data-original data-lazy-src data-lazy data-lazyload data-srcset data-lazy-srcset
      data-original-set data-echo data-actualsrc data-cfsrc data-hi-res-src data-flickity-lazyload data-image data-thumb
      data-small-src data-placeholder`.split(/\s+/);
    for (const name of names)
      for (const src of [
        `src="${dot}"`,
        'src="/blank.gif"',
        'src="/img/loading-spinner.svg?v=2"',
        'src="about:blank"',
        '',
      ]) {
        const value = name.endsWith('set') ? '/small.jpg 300w, /real.jpg 900w' : '/real.jpg';
        assert.deepEqual(
          read(`<img ${src} ${name}="${value}" alt="a">`),
          { shown: [real], images: [real] },
          `${src} ${name}`,
        );
      }
    shows('<img data-thumb="/small.jpg" data-full="/real.jpg" alt="a">', real);
    shows('<img src="/tiny.jpg" data-srcset="/mid.jpg 300w, /real.jpg 900w" alt="a">', real);
    shows(`<a href="/x"><img src="${dot}" data-lazy-src="/real.jpg" alt="a"></a>`, real);
  });

  it('are their src if other attributes name no image', () => {
    for (const other of [
      `data-src='{"a": "b.jpg"}'`,
      ...['data-src="true"', 'data-original="3"', 'data-lazy="1"', 'data-image="hero"', 'data-caption="a.jpg is old"'],
      ...['data-thumb="/small.jpg"', 'data-file="/other.jpg"', 'srcset="/small.jpg 1x"'],
    ])
      assert.deepEqual(read(`<img src="/real.jpg" alt="a" ${other}>`), { shown: [real], images: [real] }, other);
    shows('<img src="/loading-dock.jpg" data-file="/other.jpg" alt="a">', 'https://site.test/loading-dock.jpg');
  });

  it('that only browsers without scripts show complete the one beside them, or are shown', () => {
    const fallback = '<noscript><img src="/real.jpg" alt="a"></noscript>';
    for (const piece of [
      fallback,
      `<img src="${dot}" alt="a">${fallback}`,
      `<img src="/blank.gif" class="lazy"> ${fallback}`,
      `${fallback}<img data-src="/real.jpg" alt="a">`,
      `<span><img alt="a"></span>${fallback}`,
      `<img src="${dot}" data-lazy-src="/real.jpg" alt="a">${fallback}`,
      `<img src="/real.jpg" alt="a"><noscript><img src="/real.jpg?large" alt="a"></noscript>`,
      `<picture><source data-srcset="/real.jpg"><img alt="a"></picture>${fallback}`,
      `<amp-img src="/real.jpg" alt="a">${fallback}</amp-img>`,
      '<amp-img src="/real.jpg" alt="a"></amp-img>',
    ])
      shows(piece, real);
    shows(`<img src="/other.jpg" alt="b">${fallback}`, 'https://site.test/other.jpg', real);
    shows(
      '<noscript><img src="/real.jpg" alt="a"><img src="/2.jpg" alt="b"></noscript>',
      real,
      'https://site.test/2.jpg',
    );
  });

  it('are no pixels of trackers', () => {
    for (const pixel of [
      '<img height="1" width="1" style="display:none" src="https://tracker.test/tr.gif?id=1">',
      '<img src="//tracker.test/count.php?idsite=1" style="border:0" alt="">',
      '<img src="/real.jpg" alt="a"> Please turn scripts on.',
    ])
      shows(`<noscript>${pixel}</noscript>`);
  });

  it('of a picture are the first that is named', () => {
    shows('<picture><source srcset="/small.jpg 1x, /real.jpg 2x"><img alt="a"></picture>', real);
    shows(`<picture><source data-srcset="/real.jpg 1x"><img src="${dot}" alt="a"></picture>`, real);
    shows('<picture><source srcset="/large.webp"><img src="/real.jpg" alt="a"></picture>', real);
    assert.deepEqual(read('<video><source src="/film.mp4" type="video/mp4"></video>').images, []);
  });
});
