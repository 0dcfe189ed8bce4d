import assert from 'node:assert/strict';
import { isOtherLanguage } from '../../../src/contract/english.ts';

describe('the words of a text', () => {
  it('tell a sentence or question in another language', () => {
    for (const sentence of [
      '只要文档',
      'только документация',
      'höchstens 10 Seiten',
      'nur die Produkte und Preise',
      'solo los productos',
      'seulement les pages du blog',
      'tutti i prodotti',
      'alleen het blog',
      'uniquement la documentation, sans le blog',
      'Wie lange bleibt eine Sitzung offen?',
      'Quel est le nombre maximal de sessions?',
      'Hoe lang blijft een sessie open?',
      'Come posso salvare un profilo?',
      'セッションの長さは?',
    ])
      assert.ok(isOtherLanguage(sentence), sentence);
    for (const sentence of [
      'the products in the Garden category with price',
      'all threads of the Help board, newest first',
      'posts tagged databases',
      'products price availability',
      'sold out',
      'How long does a session stay open?',
      'session max ttl seconds',
      'ttl',
      'Is there a limit of sessions per team?',
      'Can I set a proxy for one session?',
      'the café',
      'only the Málaga, Córdoba and Cádiz pages',
      '2 requests per second',
      '10 pages with screenshots',
      'https://shop.de/los/las',
      '',
    ])
      assert.ok(!isOtherLanguage(sentence), sentence);
  });
});
