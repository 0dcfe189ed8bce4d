import { textsIn } from '../../contract/lenient-texts.ts';
import { Signal } from '../ui/lifecycle.ts';

const key = 'webdata.types.runFiles';
/** The oldest files are forgotten beyond this count. */
const maxFiles = 500;

interface State {
  get<Value>(key: string, initial: Value): Value;
  update(key: string, value: unknown): PromiseLike<void>;
}

/** The URIs of the files of this workspace that were run, newest first. They are kept across reloads. */
export class RunFilesStore {
  readonly onChange = new Signal();
  #state: State;
  #files: string[];

  constructor(state: State) {
    this.#state = state;
    this.#files = textsIn(state.get<unknown>(key, [])).slice(0, maxFiles);
  }

  get files(): readonly string[] {
    return this.#files;
  }

  has(uri: string): boolean {
    return this.#files.includes(uri);
  }

  add(uri: string): void {
    if (this.has(uri)) return;
    this.#files = [uri, ...this.#files].slice(0, maxFiles);
    void this.#state.update(key, this.#files);
    this.onChange.fire();
  }

  /** Forgets a file, such as one that was deleted. */
  remove(uri: string): void {
    if (!this.has(uri)) return;
    this.#files = this.#files.filter((other) => other !== uri);
    void this.#state.update(key, this.#files);
    this.onChange.fire();
  }
}
