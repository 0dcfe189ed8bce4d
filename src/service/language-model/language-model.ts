/** One message of a conversation with a model. */
export type ChatMessage =
  | { role: 'system' | 'user'; content: string }
  | { role: 'assistant'; content: string; toolCalls?: ToolCall[] }
  | { role: 'tool'; toolCallId: string; content: string };

/** Something that the model may ask to be done. */
export interface ToolDescription {
  name: string;
  description: string;
  /** JSON Schema of its arguments, an object. */
  parameters: Record<string, unknown>;
}

/** A wish of the model; its arguments are text that ought to be JSON, and may be anything. */
export interface ToolCall {
  id: string;
  name: string;
  arguments: string;
}

export interface TokenCount {
  inputTokens: number;
  outputTokens: number;
  totalTokens: number;
}

export interface CompletionRequest {
  messages: ChatMessage[];
  tools?: ToolDescription[];
  /** Most tokens of the answer. */
  maxTokens?: number;
  signal: AbortSignal;
}

export interface Completion {
  text: string;
  toolCalls: ToolCall[];
  /** As the model counts; zeros where it does not say. */
  usage: TokenCount;
}

/** A model that answers; where it runs is nobody's business here. */
export interface LanguageModel {
  /** For logs and messages. */
  readonly name: string;
  /** Throws a ModelError, or the signal's reason. */
  complete(request: CompletionRequest): Promise<Completion>;
}

/** The model did not answer, or nothing that can be used. The message is for the person. */
export class ModelError extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'ModelError';
  }
}

/** Where a service finds the model to ask. */
export interface LanguageModels {
  /** The model for a team's requests, if there is one. */
  find(team: string): LanguageModel | undefined;
}

/** One sentence for a person whose request needs a model. */
export const noModelMessage =
  'This needs a language model, and none is configured: set WEBDATA_LLM_BASE_URL and WEBDATA_LLM_MODEL (any server of the OpenAI chat completions protocol, such as Ollama), or in VS Code the setting "webdata.languageModel.baseUrl" or a chat model of your own.';
