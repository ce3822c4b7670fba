import { ObservableState } from '#web/app/ui/observable-state.ts';
import { kindOfFile } from '../../file-kind.ts';
import type { FinishedRun, QueueClient, SubmittedRun } from './queue-client.ts';

/** Past runs that are shown. */
const SHOWN = 40;

/** What the server runs, what waits there, and what it ran; kept up to date while it is looked at. `change` tells. */
export class RunList extends ObservableState {
  running: SubmittedRun[] = [];
  waiting: SubmittedRun[] = [];
  /** The newest first; undefined until it is known. */
  finished: FinishedRun[] | undefined;
  /** Object URLs of first pictures, by run. */
  readonly thumbnails = new Map<string, string>();
  #seen: AbortController | undefined;
  #loading = false;
  #again = false;

  constructor(private readonly client: QueueClient) {
    super();
  }

  get isOpen(): boolean {
    return this.#seen !== undefined;
  }

  open(): void {
    if (this.#seen) return;
    const seen = new AbortController();
    this.#seen = seen;
    void this.load();
    void this.client.follow(() => void this.load(), seen.signal);
    this.changed();
  }

  close(): void {
    this.#seen?.abort();
    this.#seen = undefined;
    for (const url of this.thumbnails.values()) URL.revokeObjectURL(url);
    this.thumbnails.clear();
    this.changed();
  }

  /** One at a time; what changes meanwhile is asked for after it. */
  async load(): Promise<void> {
    this.#again = true;
    if (this.#loading) return;
    this.#loading = true;
    try {
      while (this.#again) {
        this.#again = false;
        await this.attempt(async () => {
          const [{ running, waiting }, past] = await Promise.all([
            this.client.queue(),
            this.client.history(SHOWN),
          ]);
          Object.assign(this, { running, waiting, finished: past });
          this.changed();
          await this.#loadPictures(past);
        });
      }
    } finally {
      this.#loading = false;
    }
  }

  async #loadPictures(past: readonly FinishedRun[]): Promise<void> {
    for (const { id, images } of past) {
      const first = images.find(({ filename }) => kindOfFile(filename) === 'image');
      if (!first || this.thumbnails.has(id) || !this.#seen) continue;
      // It may have been deleted since.
      const picture = await this.client.picture(first).catch(() => undefined);
      if (!picture || !this.#seen) continue;
      this.thumbnails.set(id, URL.createObjectURL(picture));
      this.changed();
    }
  }

  stop(id: string): Promise<void> {
    return this.#act(() => this.client.interrupt(id));
  }

  withdraw(id: string): Promise<void> {
    return this.#act(() => this.client.withdraw(id));
  }

  clearQueue(): Promise<void> {
    return this.#act(() => this.client.clearQueue());
  }

  forget(id: string): Promise<void> {
    return this.#act(() => this.client.forget(id));
  }

  clearHistory(): Promise<void> {
    return this.#act(() => this.client.clearHistory());
  }

  async #act(work: () => Promise<void>): Promise<void> {
    await this.attempt(work);
    await this.load();
  }
}
