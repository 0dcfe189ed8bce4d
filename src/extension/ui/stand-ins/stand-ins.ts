import type { Disposable } from '../lifecycle.ts';

/**
 * What VS Code knows of a feature from activation on, while the feature's code isn't loaded: a command, a view, documents.
 * The first use of any of them loads the features, which then take over.
 */
export class StandIn<Part> implements Disposable {
  #id: string;
  #load: () => Promise<void>;
  #part: Part | undefined;
  #onTakenOver: (part: Part) => void;

  /** @param load loads the features; resolves when they have taken over */
  constructor(id: string, load: () => Promise<void>, onTakenOver: (part: Part) => void = () => undefined) {
    this.#id = id;
    this.#load = load;
    this.#onTakenOver = onTakenOver;
    standIns.set(id, this as StandIn<unknown>);
  }

  /** What has taken over from the stand-in; undefined until the features are loaded. */
  get loaded(): Part | undefined {
    return this.#part;
  }

  /** Returns what takes over from the stand-in, after loading the features if necessary. */
  async part(): Promise<Part> {
    // Even if a part is there: the attempt to load that it is from may have failed.
    await this.#load();
    return this.#part as Part;
  }

  set(part: Part): void {
    this.#part = part;
    this.#onTakenOver(part);
  }

  dispose(): void {
    standIns.delete(this.#id);
  }
}

const standIns = new Map<string, StandIn<unknown>>();

/**
 * Makes `part` do what its stand-in was registered for. A part without a stand-in is registered by `register`; without that,
 * nothing calls it, since the editor lacks the API.
 */
export function takeOver<Part>(id: string, part: Part, register?: () => Disposable): Disposable {
  const standIn = standIns.get(id);
  if (!standIn && register) return register();
  standIn?.set(part);
  return { dispose: () => undefined };
}

/** Throws if no feature has taken over from a stand-in: nothing would do what VS Code asks of it. */
export function requireParts(): void {
  const missing = [...standIns].flatMap(([id, { loaded }]) => (loaded === undefined ? [id] : []));
  if (missing.length > 0) throw new Error(`No feature has taken over ${missing.join(', ')}.`);
}
