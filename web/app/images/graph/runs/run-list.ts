import { ObservableState } from '#web/app/ui/observable-state.ts';
import { kindOfFile } from '../../file-kind.ts';
import type { FinishedRun, QueueClient, SubmittedRun } from './queue-client.ts';

/** Number of finished runs in the list. */
const HISTORY_SIZE = 40;

/** The server's queue and history, updated while the list is open. Fires `change` after each update. */
export class ImageRunList extends ObservableState {
  running: SubmittedRun[] = [];
  waiting: SubmittedRun[] = [];
  /** Newest first. Undefined until it is loaded. */
  finished: FinishedRun[] | undefined;
  /** Object URL of the first image of each run, by run id. Revoked by `close`. */
  readonly thumbnails = new Map<string, string>();
  #openUntil: AbortController | undefined;
  #loading = false;
  #again = false;

  constructor(private readonly client: QueueClient) {
    super();
  }

  get isOpen(): boolean {
    return this.#openUntil !== undefined;
  }

  open(): void {
    if (this.#openUntil) return;
    const openUntil = new AbortController();
    this.#openUntil = openUntil;
    void this.load();
    void this.client.follow(() => void this.load(), openUntil.signal);
    this.changed();
  }

  close(): void {
    this.#openUntil?.abort();
    this.#openUntil = undefined;
    for (const url of this.thumbnails.values()) URL.revokeObjectURL(url);
    this.thumbnails.clear();
    this.changed();
  }

  /** Loads the lists. A call during a load makes it load once more. */
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
            this.client.history(HISTORY_SIZE),
          ]);
          Object.assign(this, { running, waiting, finished: past });
          this.changed();
          await this.#loadThumbnails(past);
        });
      }
    } finally {
      this.#loading = false;
    }
  }

  async #loadThumbnails(past: readonly FinishedRun[]): Promise<void> {
    for (const { id, images } of past) {
      const first = images.find(({ filename }) => kindOfFile(filename) === 'image');
      if (!first || this.thumbnails.has(id) || !this.#openUntil) continue;
      // The file may have been deleted.
      const image = await this.client.viewFile(first).catch(() => undefined);
      if (!image || !this.#openUntil) continue;
      this.thumbnails.set(id, URL.createObjectURL(image));
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
