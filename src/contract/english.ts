const setOf = (words: string): ReadonlySet<string> => new Set(words.split(' '));

/** Words of many English sentences and questions that hardly any other language has. */
const english = setOf(
  'the and with without from only just that this these those their its every each any not but except which has have are be been should would could can will my our your ' +
    'everything anything nothing other others than about under below more less most least at by you they there please want need get find give crawl scrape fetch skip ' +
    'how what when where why does do did if into while whose ' +
    'posts post products news reviews prices threads latest newest named tagged sorted',
);
/** Words of many sentences and questions in languages that use the same letters, which English lacks. */
const foreign = setOf(
  'el los las una unas unos del y solo solamente sin con todos todas todo toda para por pero que como cual cuanto donde cuando es son puedo se ' +
    'le les des du une et ou sans avec seulement uniquement tous toutes tout toute pour mais sauf dans comment pourquoi quel quelle est sont je puis ' +
    'der das dem ein eine einen und nur ohne mit alle alles oder nicht aber keine von zu wie wo wann warum wieviel ist sind kann ich ' +
    'il lo gli della delle dei degli e soltanto senza tutti tutte tutto di quanto quando dove perche sono posso ' +
    'da um uma apenas somente sem todas tudo mas onde ' +
    'het een en alleen zonder met alles niet maar geen voor hoe wat waar waarom ' +
    'og eller kun uten uden och bara utan med alla inte ja hvor hvordan hur tylko bez wszystkie oraz jak gdzie sadece olmadan de la',
);

/**
 * Whether a sentence or question is in another language: of the words that tell, more are of another one. Those that have
 * letters beyond ASCII tell too, though names such as “café” have them in English.
 */
export function isOtherLanguage(sentence: string): boolean {
  // Names of hosts and paths are no words of it.
  const plain = sentence.toLowerCase().replace(/\S+/g, (word) => (/[./]./.test(word) ? ' ' : word));
  const words = plain.match(/[\p{L}\p{M}]+/gu) ?? [];
  const ofOther = words.filter((word) => foreign.has(word) || /[^a-z]/.test(word)).length;
  return ofOther > words.filter((word) => english.has(word)).length;
}
