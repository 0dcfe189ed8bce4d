import { dataBlockRule } from '../../../../answers/data-block.ts';
import { parseJson } from '../../../platform/language-model/json-answer.ts';
import type { ChatMessage, LanguageModel } from '../../../platform/language-model/language-model.ts';
import { ScrapeError } from '../scrape-errors.ts';
import type { PageQuestion, Reading } from '../scraper-parts.ts';
import { joinWarnings, maxPageLength, pageBlock } from './page-prompt.ts';

const freeInstructions = `You answer a question about a page. Answer only what is asked, briefly, and nothing else.
Use only what the page says, as it says it. If the page doesn't answer the question, say so in one sentence.
${dataBlockRule}`;

const quoteInstructions = `You select the passages of a page that answer a question.
Answer with a JSON array of strings and nothing else. Each string is a passage copied from the page, character by
character, and no longer than needed. Keep their order. If no passage answers the question, answer [].
${dataBlockRule}`;

/** Maximum number of answers to request from the model for one question. */
const maxTries = 3;
const notQuotes = "Your answer isn't a JSON array of passages that are on the page";

/** Answers a question about a page. Throws a ScrapeError if the model returns nothing that can be used. */
export async function answer(
  model: LanguageModel,
  markdown: string,
  { prompt, onlyQuotes }: PageQuestion,
  signal: AbortSignal,
): Promise<Reading> {
  if (markdown.trim() === '') return { text: '', warning: 'The page has no text that could answer the question.' };
  const { block, warning } = pageBlock(markdown);
  const messages: ChatMessage[] = [
    { role: 'system', content: onlyQuotes ? quoteInstructions : freeInstructions },
    { role: 'user', content: `Question: ${prompt}\n\n${block}` },
  ];
  for (let attempt = 0; attempt < maxTries; attempt++) {
    const { text } = await model.complete({ messages, signal });
    const read = onlyQuotes ? quotesIn(text, markdown) : textIn(text);
    if (read) return { text: read.text, ...joinWarnings(read.warning, warning) };
    messages.push(
      { role: 'assistant', content: text },
      { role: 'user', content: `${onlyQuotes ? notQuotes : 'Your answer is empty'}. Answer again.` },
    );
  }
  throw new ScrapeError(
    'SCRAPE_MODEL_ERROR',
    onlyQuotes
      ? "The language model didn't quote the page. Try again, or use another model."
      : "The language model didn't answer. Try again, or use another model.",
  );
}

function textIn(text: string): Reading | undefined {
  return text.trim() === '' ? undefined : { text: text.trim() };
}

/** Returns the passages that a model quoted, as they are on the page; undefined if none of them is. */
function quotesIn(text: string, markdown: string): Reading | undefined {
  const parsed = parseJson(text);
  if (!Array.isArray(parsed)) return undefined;
  const quotes = parsed.filter((quote) => typeof quote === 'string' && quote.trim() !== '') as string[];
  if (parsed.length === 0) return { text: '', warning: 'No passage of the page answers the question.' };
  const passageOf = finderOf(markdown);
  const found = quotes.flatMap((quote) => passageOf(quote) ?? []);
  if (found.length === 0) return undefined;
  const missing = quotes.length - found.length;
  const [are, were] = missing === 1 ? ['is', 'was'] : ['are', 'were'];
  const warning = `${missing} of the model's ${quotes.length} quotes ${are} not on the page and ${were} left out.`;
  return { text: [...new Set(found)].join('\n\n'), ...(missing > 0 && { warning }) };
}

/** Returns a function that finds a quote on a page, whatever its white space, in a time that grows with their lengths only. */
function finderOf(markdown: string): (quote: string) => string | undefined {
  // What the model hasn't read, it can't quote.
  const page = markdown.slice(0, maxPageLength);
  const words = [...page.matchAll(/\S+/g)];
  const plain = words.map(([word]) => word).join(' ');
  /** Returns where a character of the plain text is on the page. */
  const place = (index: number) => {
    const before = plain.slice(0, index).split(' ');
    return (words[before.length - 1]?.index ?? 0) + (before.at(-1)?.length ?? 0);
  };
  return (quote) => {
    const found = quote.trim().split(/\s+/).join(' ');
    const at = plain.indexOf(found);
    return at === -1 ? undefined : page.slice(place(at), place(at + found.length - 1) + 1);
  };
}
