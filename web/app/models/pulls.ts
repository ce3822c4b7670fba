import { errorMessage } from '#core/base';
import type { ModelsClient, PullLine } from '../api-client.ts';

/** A running, paused or failed download. A complete one leaves the list. */
export interface Pull {
  model: string;
  status: string;
  total: number;
  completed: number;
  /** Bytes per second over the last three seconds. */
  speed: number;
  error?: string;
  /** Whether the user paused it, or left the page. The server stores the bytes that have arrived. */
  paused?: boolean;
  /** Whether it is the import of a local file, which cannot be resumed. */
  fromFile?: boolean;
  abort: AbortController;
}

/** Updates `pull` from a server's progress lines, summed over the model's layers. */
export async function followPull(
  lines: AsyncIterable<PullLine>,
  pull: Pull,
  changed: () => void,
  now: () => number = () => performance.now(),
): Promise<void> {
  const layers = new Map<string, { total: number; completed: number }>();
  const samples: { at: number; completed: number }[] = [];
  for await (const line of lines) {
    if (line.status !== undefined) pull.status = line.status;
    // The lines that copy local files have no digest. A later line repeats the size of each file with its digest.
    const isCounted = pull.fromFile ? line.digest === undefined : line.digest !== undefined;
    if (isCounted && line.total !== undefined) {
      layers.set(line.digest ?? 'local files', { total: line.total, completed: line.completed ?? 0 });
      pull.total = [...layers.values()].reduce((sum, { total }) => sum + total, 0);
      pull.completed = [...layers.values()].reduce((sum, { completed }) => sum + completed, 0);
      const at = now();
      samples.push({ at, completed: pull.completed });
      while (samples.length > 2 && at - samples[0]!.at > 3000) samples.shift();
      const first = samples[0]!;
      if (at > first.at) pull.speed = ((pull.completed - first.completed) / (at - first.at)) * 1000;
    }
    changed();
  }
}

const STORAGE_KEY = 'tabd.pulls';

type PullStorage = Pick<Storage, 'getItem' | 'setItem'>;

/** The downloads of one server. They continue in other views. The next visit lists unfinished ones as paused. */
export class Pulls {
  readonly active: Pull[] = [];
  constructor(
    readonly api: ModelsClient,
    readonly changed: () => void,
    private readonly memory?: PullStorage,
  ) {
    this.active.push(...readStoredPulls(memory));
  }

  start(model: string): Promise<boolean> {
    return this.#follow(newPull(model), (signal) => this.api.pull(model, signal));
  }

  /** Tracks the import of a local file. Resolves to whether it succeeded. */
  followImport(model: string, lines: (signal: AbortSignal) => AsyncIterable<PullLine>): Promise<boolean> {
    return this.#follow({ ...newPull(model), fromFile: true }, lines);
  }

  pause(pull: Pull): void {
    pull.paused = true;
    pull.abort.abort();
    this.changed();
  }

  cancel(pull: Pull): void {
    pull.abort.abort();
    this.dismiss(pull);
  }

  async #follow(pull: Pull, lines: (signal: AbortSignal) => AsyncIterable<PullLine>): Promise<boolean> {
    const same = this.active.find(({ model }) => model === pull.model);
    if (same !== undefined && same.error === undefined && !same.paused) return false;
    if (same !== undefined) {
      this.dismiss(same);
      Object.assign(pull, { total: same.total, completed: same.completed });
    }
    this.active.push(pull);
    this.#store();
    this.changed();
    try {
      await followPull(lines(pull.abort.signal), pull, this.changed);
      this.dismiss(pull);
      return true;
    } catch (error) {
      if (!pull.abort.signal.aborted) pull.error = errorMessage(error);
      else if (!pull.paused) this.dismiss(pull);
      pull.speed = 0;
      this.#store();
      this.changed();
      return false;
    }
  }

  dismiss(pull: Pull): void {
    const index = this.active.indexOf(pull);
    if (index >= 0) this.active.splice(index, 1);
    this.#store();
    this.changed();
  }

  #store(): void {
    const unfinished = this.active.filter(({ fromFile }) => !fromFile);
    this.memory?.setItem(
      STORAGE_KEY,
      JSON.stringify(unfinished.map(({ model, total, completed }) => ({ model, total, completed }))),
    );
  }
}

function newPull(model: string): Pull {
  return { model, status: '', total: 0, completed: 0, speed: 0, abort: new AbortController() };
}

function readStoredPulls(memory: PullStorage | undefined): Pull[] {
  try {
    const list: unknown = JSON.parse(memory?.getItem(STORAGE_KEY) ?? '[]');
    return (Array.isArray(list) ? list : []).flatMap(({ model, total, completed }) =>
      typeof model !== 'string'
        ? []
        : { ...newPull(model), total: Number(total) || 0, completed: Number(completed) || 0, paused: true },
    );
  } catch {
    return [];
  }
}
