import type * as vscode from 'vscode';
import { textsIn } from '../../contract/lenient-texts.ts';
import type { Secrets } from '../ui/kept-secret.ts';

/** Environment variable that holds a server's API key, for machines without a keyring. */
export const apiKeyVariable = 'WEBDATA_API_KEY';

const prefix = 'webdata.key:';
const environmentOrigins = 'webdata.environmentKeyOrigins';

interface KeysOptions {
  secrets: Secrets;
  state: Pick<vscode.Memento, 'get' | 'update'>;
  warn(text: string): void;
  environment: NodeJS.ProcessEnv;
}

/** API keys in the editor's secret storage, each bound to the origin it was entered for. */
export class ApiKeys {
  #options: KeysOptions;

  constructor(options: KeysOptions) {
    this.#options = options;
  }

  /** The API key in the environment, regardless of its server. */
  get fromEnvironment(): string | undefined {
    return this.#options.environment[apiKeyVariable]?.trim() || undefined;
  }

  /** Returns the key for an origin: the stored one, or the environment's if the user has used it for this origin. */
  async get(origin: string): Promise<string | undefined> {
    const stored = await this.#stored(origin);
    return stored ?? (this.#environmentOrigins().includes(origin) ? this.fromEnvironment : undefined);
  }

  /** Saves a key for an origin. Returns false if the keyring doesn't work and the key isn't the environment's. */
  async keep(origin: string, key: string): Promise<boolean> {
    if (key === this.fromEnvironment) {
      const origins = new Set([...this.#environmentOrigins(), origin]);
      await this.#options.state.update(environmentOrigins, [...origins]);
      return true;
    }
    try {
      await this.#options.secrets.store(prefix + origin, key);
    } catch (error) {
      this.#options.warn(`Couldn't save the API key: the keyring failed (${nameOf(error)}).`);
    }
    return (await this.#stored(origin)) === key;
  }

  async forget(origin: string): Promise<void> {
    const origins = this.#environmentOrigins().filter((other) => other !== origin);
    await this.#options.state.update(environmentOrigins, origins);
    await this.#options.secrets.delete(prefix + origin);
  }

  /** Calls back when the key of an origin changes, in this or another window. */
  onDidChange(listener: (origin: string) => void): { dispose(): unknown } {
    return this.#options.secrets.onDidChange(({ key }) => {
      if (key.startsWith(prefix)) listener(key.slice(prefix.length));
    });
  }

  async #stored(origin: string): Promise<string | undefined> {
    try {
      return (await this.#options.secrets.get(prefix + origin)) || undefined;
    } catch (error) {
      this.#options.warn(`Couldn't read the keyring (${nameOf(error)}). Set ${apiKeyVariable} instead.`);
      return undefined;
    }
  }

  #environmentOrigins(): string[] {
    return textsIn(this.#options.state.get<unknown>(environmentOrigins));
  }
}

/** Returns only the error's name: its message might contain the key. */
function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : 'unknown error';
}
