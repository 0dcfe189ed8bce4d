import type { ScriptedAgent } from '../../harness/mcp-agent.ts';

/** What an agent does on pages through one MCP server, as far as the tasks need it. */
export interface CoreDriver {
  goto(url: string): Promise<void>;
  history(to: 'back' | 'forward' | 'reload'): Promise<void>;
  /** Evaluates an expression in the page, and returns its value. */
  evaluate(expression: string): Promise<unknown>;
  screenshot(): Promise<Buffer>;
  resize(width: number, height: number): Promise<void>;
  /** Waits until an element is visible. */
  waitFor(selector: string, ms: number): Promise<void>;
  click(selector: string): Promise<void>;
  clickAt(x: number, y: number): Promise<void>;
  hoverAt(x: number, y: number): Promise<void>;
  scroll(x: number, y: number, deltaX: number, deltaY: number): Promise<void>;
  type(selector: string, text: string): Promise<void>;
  press(key: string): Promise<void>;
  /** The open tabs, by IDs of the server's own. */
  tabs(): Promise<string[]>;
  newTab(): Promise<string>;
  selectTab(id: string): Promise<void>;
  /** Closes all tabs but one, so that tasks begin alike. Not measured. */
  reset(): Promise<void>;
}

/** How a model that has read the snapshot of a page names what a selector of the tasks means. */
const named: Record<string, RegExp> = {
  '#dropdown-button': /button "Open Menu"/,
  '#fixture-input': /textbox/,
};

/** Returns the reference of the element in a snapshot: what `pattern` finds beside its name. */
export function refIn(snapshot: string, selector: string, pattern: RegExp): string {
  const line = snapshot.split('\n').find((each) => named[selector]?.test(each));
  const ref = line && pattern.exec(line)?.[1];
  if (!ref) throw new Error(`${selector} isn't in the snapshot:\n${snapshot.slice(0, 500)}`);
  return ref;
}

/** Whether an element is visible, as an expression. */
export const isVisible = (selector: string) =>
  `!!document.querySelector(${JSON.stringify(selector)})?.getClientRects().length`;

/** Repeats a look until it succeeds, for servers that can't wait for an element. */
export async function until(look: () => Promise<unknown>, ms: number): Promise<void> {
  const end = performance.now() + ms;
  while (!(await look())) {
    if (performance.now() > end) throw new Error('It did not become visible.');
  }
}

/** Counts the tokens of what an agent sends and gets. */
export class Counted {
  tokens = 0;
  calls = 0;
  readonly #agent: ScriptedAgent;
  readonly #count: (text: string) => number;

  constructor(agent: ScriptedAgent, count: (text: string) => number) {
    this.#agent = agent;
    this.#count = count;
  }

  async call(name: string, args: object = {}): Promise<string> {
    return (await this.whole(name, args)).text;
  }

  async whole(name: string, args: object = {}) {
    const answer = await this.#agent.try(name, args);
    this.calls++;
    this.tokens += this.#count(name + JSON.stringify(args)) + this.#count(answer.text);
    if (answer.isError) throw new Error(`${name}: ${answer.text.slice(0, 500)}`);
    return answer;
  }
}
