import type { ModelsClient } from '../api-client.ts';
import type { Turn } from './conversation.ts';
import { followAnswer } from './follow-answer.ts';

/** Milliseconds between two writes of a running answer. */
const SAVE_INTERVAL = 400;
/** Milliseconds between two renderings of a running answer. A fast model sends more often than a screen can show. */
const SHOW_INTERVAL = 33;

/** A running answer whose tab was closed. */
export function asCutOff({ waiting, live, error, ...turn }: Turn): Turn {
  return { ...turn, state: 'cut' };
}

/** A tab holds this lock while it generates the answer. */
export const lockName = (turn: Turn) => `tabd-app:answer:${turn.id}`;

interface AnswerHost {
  readonly api: ModelsClient;
  deviceOf(model: string): Promise<string>;
}

interface AnswerSink {
  show(turn: Turn): void;
  save(turn: Turn): Promise<void>;
}

/** The answers that this tab generates. */
export class AnswerRuns {
  readonly #aborts = new Map<string, AbortController>();

  constructor(
    private readonly host: AnswerHost,
    private readonly sink: AnswerSink,
  ) {}

  /** Whether this tab generates the answer, so that it can stop it. */
  isOwn(turn: Turn): boolean {
    return this.#aborts.has(turn.id);
  }

  stop(turn: Turn): void {
    this.#aborts.get(turn.id)?.abort();
  }

  /**
   * Generates the answer `turn` and shows and saves it as it grows. Resolves to the finished turn.
   * @param begin stores the turn before the request is sent
   */
  async run(
    turn: Turn,
    request: Record<string, unknown>,
    model: string,
    begin: () => Promise<void>,
  ): Promise<Turn> {
    const abort = new AbortController();
    this.#aborts.set(turn.id, abort);
    let latest = turn;
    await navigator.locks.request(lockName(turn), async () => {
      await begin();
      let saved = performance.now();
      let shown = Number.NEGATIVE_INFINITY;
      const show = (next: Turn) => {
        latest = next;
        const now = performance.now();
        if (now - shown >= SHOW_INTERVAL) {
          shown = now;
          this.sink.show(next);
        }
        if (now - saved < SAVE_INTERVAL) return;
        saved = now;
        void this.sink.save(next);
      };
      let left = false;
      const leaving = () => {
        left = true;
        void this.sink.save(asCutOff(latest));
      };
      addEventListener('pagehide', leaving);
      try {
        const device = () => this.host.deviceOf(model);
        latest = await followAnswer(
          turn,
          this.host.api.chat(request, abort.signal),
          show,
          abort.signal,
          device,
        );
        // The stream may fail shortly before `pagehide` is fired: this waits for that event.
        if (latest.state === 'failed') await new Promise((resolve) => setTimeout(resolve));
      } finally {
        removeEventListener('pagehide', leaving);
        this.#aborts.delete(turn.id);
      }
      // The browser ends the stream of a page that closes. The server did not fail.
      if (left && latest.state === 'failed') latest = asCutOff(latest);
      this.sink.show(latest);
      await this.sink.save(latest);
    });
    return latest;
  }
}
