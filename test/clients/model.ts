import type { ModelAnswer, SeenRequest } from '../harness/scripted-model.ts';

/** Answers as a language model that knows the site: its prices, its rooms, and how to finish a task. */
export function answerAsModel({ messages, tools = [] }: SeenRequest): ModelAnswer {
  const said = messages.map(({ content }) => content ?? '').join('\n');
  const call = (name: string, args: object): ModelAnswer => ({ calls: [{ name, arguments: args }] });
  const has = (name: string) => tools.some((tool) => tool.function.name === name);
  if (/wait for a cancellation/.test(said)) return 'silence';
  if (/crawl options/.test(said)) return { text: '{"includePaths":["^/rooms/"],"limit":5}' };
  if (/Summarize this page/.test(said)) return { text: 'A night costs 120 euros, in short.' };
  if (/What does a night cost\?/.test(said)) return { text: 'It costs 120 euros.' };
  if (has('read_page')) {
    if (/costs 120 euros/.test(said)) return call('finish', { data: { euros: 120 }, sources: [] });
    return call('read_page', { url: /http\S+\/prices/.exec(said)?.[0] });
  }
  if (has('finish')) return call('finish', { answer: 'The title is Booked Ada.' });
  if (/numbered pages/.test(said)) return { text: '{"data":{"euros":120},"sources":[{"path":"euros","pages":[1]}]}' };
  return { text: '{"euros":120}' };
}
