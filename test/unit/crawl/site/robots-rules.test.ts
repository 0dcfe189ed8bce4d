import assert from 'node:assert/strict';
import { createRules, type RobotsRule } from '../../../../src/service/web/crawl/site/robots-rules.ts';

/** All texts of some characters, up to a length. */
function textsOf(characters: string, length: number): string[] {
  const shorter = length === 0 ? [] : textsOf(characters, length - 1);
  return ['', ...shorter.flatMap((text) => [...characters].map((character) => text + character))];
}

/** What the rules say, by the words of RFC 9309. */
function expected(rules: readonly RobotsRule[], path: string): boolean {
  const matching = rules.filter(({ pattern }) => {
    const parts = pattern.replace(/\$$/, '').split('*');
    return new RegExp(`^${parts.join('.*')}${pattern.endsWith('$') ? '$' : ''}`).test(path);
  });
  const longest = Math.max(...matching.map(({ pattern }) => pattern.length));
  const best = matching.filter(({ pattern }) => pattern.length === longest);
  return best.length === 0 || best.some(({ allow }) => allow);
}

describe('the rules of a robots.txt', () => {
  it('are those of the RFC, however many there are and whatever they begin with', () => {
    const patterns = [...new Set(textsOf('/ab*', 3).flatMap((text) => [`/${text}`, `/${text}$`]))];
    const paths = textsOf('/ab', 4).map((text) => `/${text}`);
    let seen = 0;
    for (let step = 1; step < 60; step++) {
      const rules = patterns
        .filter((_, index) => (index * 7 + step) % (step + 2) === 0)
        .map((pattern, index) => ({ pattern, allow: (index + step) % 3 === 0 }));
      const allows = createRules(rules);
      for (const path of paths) {
        seen++;
        assert.equal(allows(path), expected(rules, path), `${path} by ${JSON.stringify(rules)}`);
      }
    }
    assert.ok(seen > 5000);
  });

  it('allow nothing that is too long for as many rules with a * as there are', () => {
    const rules = (count: number) =>
      Array.from({ length: count }, (_, index) => ({ pattern: `/a*${index}x`, allow: false }));
    const path = `/a${'b'.repeat(3998)}`;
    assert.ok(createRules(rules(100))(path));
    assert.ok(!createRules(rules(1000))(path));
    // Those that begin with something else don't count.
    assert.ok(createRules(rules(1000))(path.replace('/a', '/b')));
    assert.ok(createRules(rules(1000))(path.slice(0, 500)));
  });

  it('take about as long with 10,000 of them as with one (TRN-06)', () => {
    const many = Array.from({ length: 10_000 }, (_, index) => ({ pattern: `/a/${index}`, allow: false }));
    const allows = createRules([...many, { pattern: `/${'a'.repeat(100_000)}`, allow: false }]);
    for (let index = 0; index < 1_000_000; index++) allows(`/b/${index}`);
    const nested = createRules(
      Array.from({ length: 1000 }, (_, index) => ({ pattern: `/${'a'.repeat(index)}`, allow: index > 0 })),
    );
    for (let index = 0; index < 100_000; index++) assert.ok(nested('/aab'));
  });
});
