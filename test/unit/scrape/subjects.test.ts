import assert from 'node:assert/strict';
import { converted } from '../../harness/page-markdown.ts';

const data = (value: unknown) => `<script type="application/ld+json">${JSON.stringify(value)}</script>`;
const item = (type: string, name: string, inner = '') =>
  `<div itemscope itemtype="https://schema.org/${type}"><b itemprop="name">${name}</b>${inner}</div>`;

describe('the types of what a page is about', () => {
  for (const [what, html, types] of [
    [
      'that of its JSON-LD',
      data({ '@type': ['https://schema.org/Product', 'Thing'], name: 'A lamp' }),
      ['Product', 'Thing'],
    ],
    [
      'those of a graph',
      data({ '@graph': [{ '@type': 'WebPage' }, { '@type': 'BlogPosting', headline: 'Lamps' }] }),
      ['WebPage', 'BlogPosting'],
    ],
    [
      'that of its microdata',
      item('Product', 'A lamp', item('Brand', 'Ola').replace('itemscope', 'itemprop="brand" itemscope')),
      ['Product'],
    ],
    [
      'one that is described twice',
      data({ '@type': 'Product', name: 'A lamp' }) + item('Product', 'A lamp'),
      ['Product'],
    ],
    ['that of Open Graph, in lower case', '<meta property="og:type" content="Article">', ['article']],
    [
      'not that of the items of a list',
      data([1, 2].map((at) => ({ '@type': 'Product', name: `Lamp ${at}` }))),
      undefined,
    ],
    [
      'not that of what it only refers to',
      data({ '@type': 'WebPage', about: { '@type': 'Product', name: 'A lamp' } }),
      ['WebPage'],
    ],
    ['none of broken data', '<script type="application/ld+json">{"@type": "Product</script>', []],
  ] as const)
    it(`are ${what}`, () => {
      assert.deepEqual(converted(`<body>${html}<p>A lamp.</p></body>`, { subjects: true }).subjects, types ?? []);
    });
});
