import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { repository } from './folders.ts';

/** A question with the facts that its answer must contain; none when the texts do not answer it. */
export interface Asked {
  question: string;
  facts: RegExp[];
}

interface Stored {
  question: string;
  facts?: string[];
  unanswerable?: boolean;
}

/** Reads a set of questions from test/fixtures. */
export async function readQuestions(file: string): Promise<Asked[]> {
  const stored = JSON.parse(await readFile(join(repository, 'test', 'fixtures', file), 'utf8')) as Stored[];
  return stored.map(({ question, facts = [], unanswerable = false }) => {
    if (unanswerable === facts.length > 0) throw new Error(`"${question}" must have either facts or be unanswerable.`);
    return { question, facts: facts.map((fact) => new RegExp(fact, 'i')) };
  });
}
