import assert from 'node:assert/strict';
import { parseLogin } from '../../../src/service/browsers/profiles/logins/login-files.ts';
import { chosenPart, sitesOf } from '../../../src/service/browsers/profiles/logins/login-sites.ts';

const later = 4_000_000_000;

describe('files with a login', () => {
  it('are read as cookies.txt', async () => {
    const text = [
      '# Netscape HTTP Cookie File',
      '',
      `.shop.example\tTRUE\t/\tTRUE\t${later}\tsid\ta=b c`,
      `#HttpOnly_www.shop.example\tFALSE\t/cart\tFALSE\t0\tcart\t`,
      `plain.example\tfalse\t/\tfalse\t${later}.5\tempty`,
    ].join('\r\n');
    assert.deepEqual(await parseLogin(text), {
      cookies: [
        {
          name: 'sid',
          value: 'a=b c',
          httpOnly: false,
          domain: '.shop.example',
          path: '/',
          expires: later,
          secure: true,
        },
        {
          name: 'cart',
          value: '',
          httpOnly: true,
          domain: 'www.shop.example',
          path: '/cart',
          expires: -1,
          secure: false,
        },
        {
          name: 'empty',
          value: '',
          httpOnly: false,
          domain: 'plain.example',
          path: '/',
          expires: later + 0.5,
          secure: false,
        },
      ],
      origins: [],
    });
  });

  it('are read as an export of a browser extension', async () => {
    const cookie = { name: 'a', value: 'b', domain: 'shop.example', path: '/', secure: true, httpOnly: true };
    const exported = [
      { ...cookie, hostOnly: false, expirationDate: later, sameSite: 'no_restriction', storeId: '0' },
      { ...cookie, hostOnly: true, session: true, sameSite: 'unspecified' },
    ];
    assert.deepEqual((await parseLogin(`\ufeff${JSON.stringify(exported)}`)).cookies, [
      { ...cookie, domain: '.shop.example', expires: later, sameSite: 'None' },
      { ...cookie, expires: -1 },
    ]);
  });

  it("are read as Playwright's storageState", async () => {
    const cookie = {
      name: 'a',
      value: 'b',
      domain: '.s.example',
      path: '/',
      expires: -1,
      httpOnly: true,
      secure: false,
    };
    const state = {
      cookies: [{ ...cookie, sameSite: 'Lax', partitionKey: 'https://top.example', _crHasCrossSiteAncestor: true }],
      origins: [{ origin: 'https://s.example', localStorage: [{ name: 'token', value: 'x' }] }],
    };
    assert.deepEqual(await parseLogin(JSON.stringify(state)), state);
  });

  for (const [what, text, message] of [
    [
      'a line with too few fields',
      '# c\nsecret\tTRUE',
      "Line 2 isn't a cookie: expected 7 fields separated by tabs, got 2.",
    ],
    [
      'a line without a domain',
      '\tTRUE\t/\tTRUE\t0\tsecret\tsecret',
      "Line 1 isn't a cookie: its first field, the domain, is empty.",
    ],
    [
      'a flag that is none',
      'a.b\tsecret\t/\tTRUE\t0\tn\tv',
      "Line 1 isn't a cookie: its second field isn't TRUE or FALSE.",
    ],
    [
      'an expiry that is none',
      'a.b\tTRUE\t/\tTRUE\tsecret\tn\tv',
      "Line 1 isn't a cookie: its fifth field, the expiry, isn't a number.",
    ],
    ['nothing', '# secret', 'The file has no cookies.'],
    ['broken JSON', '[{"value": "secret', "The file isn't valid JSON. Export it again."],
    ['other JSON', '{"secret": "secret"}', 'The file has no login in a supported format: at cookies, '],
    [
      'a cookie without a domain',
      '[{"name":"secret","value":"secret"}]',
      'The file has no login in a supported format: at cookies.0.domain, ',
    ],
    [
      'several mistakes: the first',
      '{"cookies":[],"origins":[{"origin":"http://a","localStorage":[{"name":"n","value":"v"},{"name":"secret"}]},{}]}',
      'The file has no login in a supported format: at origins.0.localStorage.1.value, ',
    ],
  ] as const) {
    it(`with ${what} are refused, with the place and without what they say`, async () => {
      await assert.rejects(
        parseLogin(text),
        (error: Error) => error.message.startsWith(message) && !error.message.includes('secret'),
      );
    });
  }

  for (const [what, text] of Object.entries({
    'cookies.txt': 'a\tTRUE\t/\tTRUE\t0\tn\tv\n'.repeat(100_000),
    'an export': `[${'{"name":"n","value":"v","domain":"a"},'.repeat(50_000)}{"name":"n","value":"v","domain":"a"}]`,
    'storage of many sites': `{"cookies":[],"origins":[${'{"origin":"http://a","localStorage":[]},'.repeat(50_000)}{"origin":"http://a","localStorage":[]}]}`,
  }))
    it(`TRN-21: let others have their turn while they are read: ${what}`, async () => {
      let turns = 0;
      setImmediate(() => turns++);
      await parseLogin(text);
      assert.ok(turns > 0);
    });
});

describe('the sites of a login', () => {
  const cookie = { name: 'n', value: 'v', path: '/', httpOnly: false, secure: false };
  const state = {
    cookies: [
      { ...cookie, domain: '.shop.example', expires: later },
      { ...cookie, domain: 'login.shop.example', expires: later - 10 },
      { ...cookie, domain: 'other.example', expires: -1 },
      { ...cookie, domain: 'old.example', expires: 10 },
    ],
    origins: [
      { origin: 'https://www.shop.example', localStorage: [] },
      { origin: 'https://other.example', localStorage: [] },
    ],
  };

  it('are the domains whose cookies are valid, each with its subdomains, and until when', async () => {
    assert.deepEqual(await sitesOf(state.cookies, 20_000), [
      { site: 'other.example', cookies: 1 },
      {
        site: 'shop.example',
        cookies: 2,
        firstExpiry: new Date((later - 10) * 1000).toISOString(),
        lastExpiry: new Date(later * 1000).toISOString(),
      },
    ]);
  });

  it('are found for domains with more dots than one at their start', async () => {
    const domains = ['..shop.example', '.shop.example', 'a..shop.example'];
    const cookies = domains.map((domain) => ({ domain, expires: later }));
    assert.deepEqual(
      (await sitesOf(cookies, 20_000)).map(({ site, cookies: count }) => [site, count]),
      [['shop.example', 3]],
    );
  });

  it('are found in a file of any length', async () => {
    const many = Array.from({ length: 300_000 }, (_, index) => ({ domain: '.shop.example', expires: later - index }));
    assert.deepEqual(
      (await sitesOf(many, 20_000)).map(({ cookies }) => cookies),
      [300_000],
    );
  });

  it('TRN-21: let others have their turn while they are found, however many labels domains have', async () => {
    const many = Array.from({ length: 20_000 }, (_, index) => ({
      domain: `${'a.'.repeat(120)}${index}`,
      expires: later,
    }));
    let turns = 0;
    setImmediate(() => turns++);
    assert.equal((await sitesOf(many, 20_000)).length, 20_000);
    assert.ok(turns > 0);
  });

  it('choose what of it is imported', async () => {
    const { cookies, origins } = await chosenPart(state, ['shop.example'], 20_000);
    assert.deepEqual(cookies, state.cookies.slice(0, 2));
    assert.deepEqual(origins, state.origins.slice(0, 1));
    assert.deepEqual((await chosenPart(state, undefined, 20_000)).cookies, state.cookies.slice(0, 3));
  });
});
