import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { purposeOf } from '../../src/client/requests.ts';
import { embeddedEndpoints } from '../../src/contract/embedded.ts';
import { endpoints } from '../../src/contract/endpoints.ts';
import { repository } from '../harness/folders.ts';
import { readSourceTexts, type SourceTexts, textsOf } from '../harness/source-texts.ts';

const read = (file: string) => JSON.parse(readFileSync(join(repository, file), 'utf8')) as Record<string, string>;
const manifest = JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8'));
const languages = readdirSync(join(repository, 'l10n')).flatMap(
  (file) => /^bundle\.l10n\.([\w-]+)\.json$/.exec(file)?.[1] ?? [],
);

/** Texts in the code that stay as they are, in every language. */
const notTranslated = new Set([
  // Keys of a JSON document and addresses, which are typed like this.
  '"webhook"',
  'api.example.com',
  'shop.example.com',
  'shop.example.com/products/*',
]);

/** Fields of the manifest that people see. */
const manifestTexts =
  /\.(?:title|description|markdownDescription|contents|label|displayName|userDescription|altText|patternErrorMessage|enumDescriptions\.\d+|markdownEnumDescriptions\.\d+|views\.\w+\.\d+\.name)$/;
/** Texts of the manifest that stay as they are: names of the product. */
const manifestNames = new Set(['Web Data']);

const sorted = (texts: Iterable<string>) => [...new Set(texts)].sort();
const missing = (expected: Iterable<string>, has: Iterable<string>) => {
  const all = new Set(has);
  return sorted(expected).filter((text) => !all.has(text));
};
/** What a translation must hold as it is: placeholders, icons, command links, settings, code and addresses. */
const marksOf = (text: string) =>
  (text.match(/\{\d+\}|\$\([\w~-]+\)|\(command:[\w.]+\)|`[^`]*`|https?:\/\/[^\s,，。)]*[^\s,，。.)]/g) ?? []).sort();

/** What the punctuation of Chinese texts never has: see the rules of the glossary. */
const wrongStyle =
  /[：？！（）;]|\p{Script=Han}(?:[,.A-Za-z0-9]| \(|:(?![\s*]|$))|[,A-Za-z0-9]\p{Script=Han}|\) \p{Script=Han}/gu;
/** The words of the glossary that stand nowhere, and its terms that have one in them. */
const glossary = () => {
  const rows = readFileSync(join(repository, 'l10n', 'GLOSSARY.md'), 'utf8').matchAll(
    /^\|[^|]+\|([^|]+)\|([^|]*)\|$/gm,
  );
  const cells = [...rows].slice(2).map(([, term = '', not = '']) => ({ term: term.trim(), not: not.trim() }));
  const avoided = cells.flatMap(({ not }) => not || []);
  return { avoided, allowed: cells.flatMap(({ term }) => (avoided.some((word) => term.includes(word)) ? term : [])) };
};
/** A text without its icon, its ellipsis and the capitals of titles: a word in lower case has another sense. */
const plain = (text: string) => {
  const words = text.replace(/^\$\([\w~-]+\) /, '').replace(/…$/, '');
  return words.charAt(0) + words.slice(1).toLowerCase();
};

describe('the translations', () => {
  let texts: SourceTexts;
  let keys: string[];
  before(() => {
    texts = readSourceTexts();
    // What a call does stands in the contract, which is English.
    const purposes = Object.values({ ...endpoints, ...embeddedEndpoints }).map(purposeOf);
    keys = sorted([...texts.translated.map(({ text }) => text), ...purposes]);
  });

  it('are found by VS Code', () => {
    assert.equal(manifest.l10n, './l10n');
    assert.deepEqual(languages, ['zh-cn']);
  });

  it('have every visible text of the manifest', () => {
    const written: string[] = [];
    const look = (value: unknown, path: string) => {
      // For language models, not for people.
      if (path.endsWith('.inputSchema')) return;
      if (typeof value === 'string' && manifestTexts.test(path) && !/^%[^%]+%$/.test(value))
        written.push(`${path}: ${value}`);
      if (typeof value !== 'object' || value === null) return;
      for (const [name, inner] of Object.entries(value)) look(inner, `${path}.${name}`);
    };
    const { description, capabilities, contributes } = manifest;
    look({ description, capabilities, contributes }, '');
    const known = written.filter((text) => !manifestNames.has(text.slice(text.indexOf(': ') + 2)));
    assert.deepEqual(known, []);
  });

  it('can be found in the code: every key is a literal', () => {
    assert.deepEqual(
      texts.computed.map(({ text }) => text),
      ['l10n.t(purposeOf(entry))'],
    );
    assert.ok(keys.length > 800, `only ${keys.length} texts were found`);
  });

  it('are used for every visible text', () => {
    const left = texts.untranslated.filter(({ text }) => !notTranslated.has(text));
    assert.deepEqual(
      left.map(({ text, at }) => `${at}: ${text}`),
      [],
    );
  });

  for (const language of languages) {
    const bundle = `l10n/bundle.l10n.${language}.json`;
    const nls = `package.nls.${language}.json`;
    const pairs = (): [string, string][] => {
      const original = read('package.nls.json');
      const manifestPairs = Object.entries(read(nls)).map(([key, text]): [string, string] => [
        original[key] ?? '',
        text,
      ]);
      return [...Object.entries(read(bundle)), ...manifestPairs];
    };

    it(`into ${language} have every text in the code, and no other`, () => {
      const translated = Object.keys(read(bundle));
      assert.deepEqual(missing(keys, translated), [], 'missing');
      assert.deepEqual(missing(translated, keys), [], 'no longer used');
    });

    it(`into ${language} have every text of the manifest, and no other`, () => {
      const [original, translated] = [Object.keys(read('package.nls.json')), Object.keys(read(nls))];
      assert.deepEqual(missing(original, translated), [], 'missing');
      assert.deepEqual(missing(translated, original), [], 'no longer used');
    });

    it(`into ${language} are texts, with the same placeholders, icons, links and code`, () => {
      for (const [from, to] of pairs()) {
        assert.ok(to.trim() !== '', from);
        assert.deepEqual(marksOf(to), marksOf(from), `${from} → ${to}`);
      }
    });

    it(`into ${language} keep to the rules and the words of the glossary`, () => {
      const { allowed, avoided } = glossary();
      const wrong = pairs().flatMap(([, text]) => {
        const prose = text.replace(/`[^`]*`|https?:\/\/[^\s，。)]+|\(command:[\w.]+\)|^\$\([\w~-]+\)/g, '`');
        const bare = allowed.reduce((left, term) => left.replaceAll(term, ''), prose);
        const found = [...(prose.match(wrongStyle) ?? []), ...avoided.filter((word) => bare.includes(word))];
        return found.map((what) => `${what} in ${text}`);
      });
      assert.deepEqual(wrong, []);
    });

    it(`into ${language} are the same for the same text`, () => {
      const made = new Map<string, string>();
      const differ: string[] = [];
      for (const [from, to] of pairs()) {
        const [text, translated] = [plain(from), plain(to)];
        const before = made.get(text) ?? translated;
        if (before !== translated) differ.push(`${text}: ${before}, ${translated}`);
        made.set(text, before);
      }
      assert.deepEqual(differ, []);
    });
  }
});

describe('the texts of a source file', () => {
  const untranslated = (source: string) => textsOf(source).untranslated.map(({ text }) => text);

  it('are those of messages, rows, inputs and elements, in any branch', () => {
    assert.deepEqual(
      untranslated(`
        vscode.window.showInformationMessage(done ? 'All done' : \`\${count} left\`, l10n.t('Open'));
        item.tooltip = name || 'No name';
        pick({ title: 'Choose one', placeHolder: l10n.t('Any') });
        element('p', { class: 'big box', 'aria-label': 'Big' }, text, 'and more');
        item.description = [age, busy && 'is busy'].filter(Boolean).join(' · ');
        throw new UserError('No' + ' way.');
      `),
      ['All done', '{} left', 'No name', 'Choose one', 'Big', 'and more', 'is busy', 'No', ' way.'],
    );
  });

  it('are not icons, names or log messages', () => {
    assert.deepEqual(untranslated("log.info('It went well'); row({ label: '$(check)', title: 'Web Data' });"), []);
  });

  it('are keys if they are translated', () => {
    const { translated, computed } = textsOf("l10n.t('Open {0}', name); l10n.t(name); other.t('No');");
    assert.deepEqual([translated[0]?.text, translated.length, computed[0]?.text], ['Open {0}', 1, 'l10n.t(name)']);
  });
});
