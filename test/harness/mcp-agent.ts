import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { FetchLike, Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { patience } from './eventually.ts';

/** What a tool answered. */
export interface ToolAnswer {
  /** All of its text. */
  text: string;
  images: { data: string; mimeType: string }[];
  isError: boolean;
}

/** An agent that does what a test says, through the Model Context Protocol alone. */
export class ScriptedAgent {
  readonly client: Client;
  /** Texts of the pages that it has seen, the newest last. */
  #seen: string[] = [];

  constructor(name = 'Scripted Agent') {
    this.client = new Client({ name, version: '1.0.0' });
  }

  static async connect(baseUrl: string, apiKey: string, name?: string, fetch?: FetchLike): Promise<ScriptedAgent> {
    const headers = { authorization: `Bearer ${apiKey}` };
    const transport = new StreamableHTTPClientTransport(new URL('/mcp', baseUrl), {
      requestInit: { headers },
      ...(fetch && { fetch }),
    });
    return await ScriptedAgent.over(transport, name);
  }

  static async over(transport: Transport, name?: string): Promise<ScriptedAgent> {
    const agent = new ScriptedAgent(name);
    await agent.client.connect(transport);
    return agent;
  }

  /** Calls a tool, whatever it answers. */
  async try(name: string, args: object = {}, options: Parameters<Client['callTool']>[2] = {}): Promise<ToolAnswer> {
    const { content, isError } = await this.client.callTool(
      { name, arguments: args as Record<string, unknown> },
      undefined,
      { timeout: patience, ...options },
    );
    const blocks = content as ({ type: 'text'; text: string } | { type: 'image'; data: string; mimeType: string })[];
    return {
      text: blocks.flatMap((block) => (block.type === 'text' ? block.text : [])).join('\n'),
      images: blocks.filter((block) => block.type === 'image'),
      isError: isError === true,
    };
  }

  /** Calls a tool and returns its text. Throws if it answers with an error. */
  async call(name: string, args: object = {}, options: Parameters<Client['callTool']>[2] = {}): Promise<string> {
    const { text, isError } = await this.try(name, args, options);
    if (isError) throw new Error(`${name}: ${text}`);
    if (name.startsWith('page_')) this.#seen.push(text);
    return text;
  }

  async open(url: string): Promise<string> {
    this.#seen = [];
    return await this.call('page_navigate', { url });
  }

  read(): Promise<string> {
    return this.call('page_snapshot');
  }

  /** Returns the reference of an element, by its line up to it: `button "Buy"`. */
  ref(element: string): string {
    for (const text of this.#seen.toReversed()) {
      const at = text.indexOf(`${element} [e`);
      const found = at === -1 ? undefined : /\[(e\d+)\]/.exec(text.slice(at + element.length))?.[1];
      if (found) return found;
    }
    throw new Error(`${element} isn't on the page: ${this.#seen.at(-1)}`);
  }

  click(element: string, kind?: string): Promise<string> {
    return this.call('page_click', { ref: this.ref(element), ...(kind && { kind }) });
  }

  type(element: string, text: string, submit = false): Promise<string> {
    return this.call('page_type', { ref: this.ref(element), text, submit });
  }

  select(element: string, ...options: string[]): Promise<string> {
    return this.call('page_select', { ref: this.ref(element), options });
  }

  close(): Promise<void> {
    return this.client.close();
  }
}
