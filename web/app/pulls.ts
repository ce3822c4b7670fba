import type { ApiClient, PullLine } from './api-client.ts';
import { errorText } from './ui/error-text.ts';

/** A download, running or ended badly (ended well, it leaves the list). */
export interface Pull {
  model: string;
  status: string;
  total: number;
  completed: number;
  /** Bytes a second over the last few seconds. */
  speed: number;
  error?: string;
  abort: AbortController;
}

/** Several statuses name a layer by digest; the sum over the layers is the progress of the model. */
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
    if (line.digest !== undefined && line.total !== undefined) {
      layers.set(line.digest, { total: line.total, completed: line.completed ?? 0 });
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

/** The downloads of this page. They go on when another view is open; leaving the page stops and keeps them. */
export class Pulls {
  readonly active: Pull[] = [];
  constructor(
    readonly api: ApiClient,
    readonly changed: () => void,
  ) {}

  start(model: string): Promise<boolean> {
    return this.follow(model, (signal) => this.api.pull(model, signal));
  }

  /** Follows any stream of pull lines, e.g. the import of a file. */
  async follow(model: string, lines: (signal: AbortSignal) => AsyncIterable<PullLine>): Promise<boolean> {
    const same = this.active.find((pull) => pull.model === model);
    if (same !== undefined && same.error === undefined) return false;
    if (same !== undefined) this.dismiss(same);
    const pull: Pull = {
      model,
      status: '',
      total: 0,
      completed: 0,
      speed: 0,
      abort: new AbortController(),
    };
    this.active.push(pull);
    this.changed();
    try {
      await followPull(lines(pull.abort.signal), pull, this.changed);
      this.dismiss(pull);
      return true;
    } catch (error) {
      if (pull.abort.signal.aborted) this.dismiss(pull);
      else pull.error = errorText(error);
      this.changed();
      return false;
    }
  }

  dismiss(pull: Pull): void {
    const index = this.active.indexOf(pull);
    if (index >= 0) this.active.splice(index, 1);
    this.changed();
  }
}
