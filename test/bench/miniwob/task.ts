import type { ScriptedAgent } from '../../harness/mcp-agent.ts';

/** One episode of a task, as an agent sees it. */
export interface Episode {
  /** What the page asks for. */
  query: string;
  agent: ScriptedAgent;
  /** Takes a snapshot. Returns its lines. */
  look(): Promise<string[]>;
  /** Clicks what the first line that matches names. */
  click(line: RegExp | string, nth?: number): Promise<void>;
  type(line: RegExp, text: string, nth?: number): Promise<void>;
  /** Runs Playwright code, for what takes the mouse or a place that isn't an element. Returns its value. */
  code(source: string): Promise<string>;
}

/** References in the lines of a snapshot whose element matches, in order. */
export function refsOf(lines: readonly string[], element: RegExp | string): string[] {
  const pattern = typeof element === 'string' ? element.replace(/[.*+?^${}()|[\]\\]/g, '\\$&') : element.source;
  const found: string[] = [];
  for (const line of lines)
    for (const [, ref = ''] of line.matchAll(new RegExp(`(?:${pattern}) \\[(e\\d+)\\]`, 'g'))) found.push(ref);
  return found;
}

/** @param agent in whose session the episode has begun */
export function episodeOf(agent: ScriptedAgent, query: string): Episode {
  const look = async () => (await agent.read()).split('\n').map((line) => line.trim());
  const refOf = async (line: RegExp | string, nth: number) => {
    const lines = await look();
    const ref = refsOf(lines, line)[nth];
    if (!ref) throw new Error(`${line} isn't on the page:\n${lines.join('\n').slice(0, 1500)}`);
    return ref;
  };
  return {
    query,
    agent,
    look,
    click: async (line, nth = 0) => void (await agent.call('page_click', { ref: await refOf(line, nth) })),
    type: async (line, text, nth = 0) => void (await agent.call('page_type', { ref: await refOf(line, nth), text })),
    async code(source) {
      const text = await agent.call('run_code', { code: source });
      return /^BEGIN untrusted output (\w+)\n([\s\S]*)\nEND untrusted output \1$/m.exec(text)?.[2] ?? '';
    },
  };
}
