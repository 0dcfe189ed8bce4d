import assert from 'node:assert/strict';
import { shapeOf } from '../../../../src/service/web/crawl/scope/shapes.ts';

const shape = (path: string) => shapeOf(new URL(path, 'https://a.test')).replace('https://a.test', '');

describe('the shape of a URL', () => {
  const shapes: Record<string, string[]> = {
    '/b/*': ['/b/c', '/b/d/', '/b/c//'],
    '/b/#/*': ['/b/12/c', '/b/7/d'],
    '/b?page': ['/b?page=2', '/b?page=3'],
    '/b?#': ['/b#top', '/b#x=1'],
    '/#/*': ['/#/about', '/#!/recipes', '/#/recipes/'],
    '/#/recipes/*': ['/#/recipes/12', '/#!/recipes/flan'],
    '/#/recipes?page': ['/#/recipes?page=2', '/#/recipes?page=3'],
    '/login?to': ['/login?to=blog/one', '/login?to=blog/two'],
    '?d': ['/?d=2024/03', '/?d=2024/04', '/?d=x'],
  };
  for (const [expected, paths] of Object.entries(shapes))
    it(`is ${expected} for ${paths.join(', ')}`, () => {
      for (const path of paths) assert.equal(shape(path), expected);
    });
});
