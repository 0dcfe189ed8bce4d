import type { LanguageModel, LanguageModels } from './language-model.ts';
import { openAiCompatible } from './openai-compatible.ts';

export const modelVariables = {
  baseUrl: 'WEBDATA_LLM_BASE_URL',
  model: 'WEBDATA_LLM_MODEL',
  apiKey: 'WEBDATA_LLM_API_KEY',
} as const;

/** A model that the environment names. Throws one line for the person where that is half said or no URL. */
export function modelFromEnvironment(env: NodeJS.ProcessEnv): LanguageModel | undefined {
  const baseUrl = env[modelVariables.baseUrl];
  const model = env[modelVariables.model];
  const apiKey = env[modelVariables.apiKey];
  if (!baseUrl && !model) return undefined;
  if (!baseUrl || !model)
    throw new Error(`${modelVariables.baseUrl} and ${modelVariables.model} belong together: set both, or neither.`);
  if (!URL.canParse(baseUrl) || !/^https?:$/.test(new URL(baseUrl).protocol) || new URL(baseUrl).username) {
    throw new Error(`${modelVariables.baseUrl} takes an http or https URL without a user name.`);
  }
  return openAiCompatible({ baseUrl, model, ...(apiKey && { apiKey }) });
}

/** Asks one source after another: the first that has a model gives it. */
export function firstOf(...sources: LanguageModels[]): LanguageModels {
  return {
    find: (team) => {
      for (const source of sources) {
        const model = source.find(team);
        if (model) return model;
      }
      return undefined;
    },
  };
}

/** The same model for everybody, or none. */
export function always(model: LanguageModel | undefined): LanguageModels {
  return { find: () => model };
}
