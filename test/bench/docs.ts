import { join } from 'node:path';
import { createReferenceIndex } from '../../scripts/lib/docs-index.ts';
import { answerFrom, countWords } from '../../src/service/assistants/docs-search/answer/answer.ts';
import { find } from '../../src/service/assistants/docs-search/answer/search.ts';
import type { SearchIndex } from '../../src/service/assistants/docs-search/index/search-index.ts';
import { repository } from '../harness/folders.ts';
import { type Asked, readQuestions } from '../harness/questions.ts';
import { median, printTarget } from './figures.ts';

/** Developers' questions, without a language model: the tuning set and a held-out set. */
export async function run({ heldOut = true }: { heldOut?: boolean } = {}): Promise<void> {
  const index = await createReferenceIndex(join(repository, 'docs'));
  console.log(`${index.passages} passages`);
  for (const file of [
    'docs-questions.json',
    'docs-questions-of-users.json',
    'docs-questions-near.json',
    ...(heldOut ? ['docs-questions-held-out.json'] : []),
  ])
    report(file, await readQuestions(file), index);
}

function report(file: string, questions: readonly Asked[], index: SearchIndex): void {
  const answerable = questions.filter(({ facts }) => facts.length > 0);
  const unanswerable = questions.filter(({ facts }) => facts.length === 0);
  const times: number[] = [];
  const answers = new Map(questions.map((asked) => [asked, ask(asked.question, index, times)]));
  const right = answerable.filter((asked) => asked.facts.every((fact) => fact.test(answers.get(asked) ?? '')));
  const declined = unanswerable.filter((asked) => answers.get(asked) === undefined);
  const words = answerable.flatMap((asked) => answers.get(asked) ?? []).map(countWords);
  const facts = (100 * right.length) / answerable.length;
  const declines = (100 * declined.length) / unanswerable.length;
  console.log(`${file}: ${answerable.length} with an answer, ${unanswerable.length} without`);
  printTarget('answers with the fact, %', facts, '>= 95', facts >= 95);
  printTarget('questions without an answer that were declined, %', declines, '>= 90', declines >= 90);
  printTarget('words of an answer, median', median(words), '<= 60', median(words) <= 60);
  printTarget('time of an answer, median ms', median(times), '< 15', median(times) < 15);
}

function ask(question: string, index: SearchIndex, times: number[]): string | undefined {
  const start = performance.now();
  const answer = answerFrom(question, find(question, [index]))?.answer;
  times.push(performance.now() - start);
  return answer;
}

/** Prints the questions that are missed: `node -e "import('./test/bench/docs.ts').then((m) => m.misses('docs-questions.json'))"`. */
export async function misses(file: string): Promise<void> {
  const index = await createReferenceIndex(join(repository, 'docs'));
  for (const { question, facts } of await readQuestions(file)) {
    const answer = ask(question, index, []);
    const met = facts.length === 0 ? answer === undefined : facts.every((fact) => fact.test(answer ?? ''));
    if (!met) console.log(`${question}\n  -> ${answer?.replaceAll('\n', ' ') ?? 'declined'}`);
  }
}
