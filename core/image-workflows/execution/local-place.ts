import { Mutex } from '#core/base';
import { traced } from '#core/host';
import { graphsOf } from '../models/graphs/graph-registry.ts';
import type { PromptListener } from '../sockets/prompt-listener.ts';
import type { Prompt } from './prompt.ts';
import { PromptEvents } from './prompt-events.ts';
import { historyEntryJson } from './prompt-json.ts';
import type { FreeOptions, PromptEnd, PromptPlace } from './prompt-place.ts';
import { runPrompt } from './run-prompt.ts';
import type { RunServices } from './run-services.ts';

/** Runs prompts in this process, one at a time. */
export class LocalPlace implements PromptPlace {
  readonly #mutex = new Mutex();
  #running: Prompt | undefined;
  readonly #idleActions: (() => void)[] = [];

  constructor(private readonly services: RunServices) {}

  get isBusy(): boolean {
    return this.#running !== undefined;
  }

  async run(prompt: Prompt, listener: PromptListener, signal: AbortSignal): Promise<PromptEnd> {
    // A process that becomes the leader may still run a prompt of the former one.
    const release = await this.#mutex.acquire();
    this.#running = prompt;
    try {
      const { clock, tracing } = this.services.host;
      const events = new PromptEvents(prompt.id, prompt.clientId, listener, clock);
      const span = { parent: prompt.traceparent, attributes: { 'tabd.prompt.id': prompt.id } };
      const result = await traced(tracing, 'run prompt', span, async ({ set, fail }) => {
        set({ 'tabd.waited_ms': Math.max(0, clock.now() - prompt.createdAt) });
        const ended = await runPrompt(prompt, this.services, events, signal);
        set({ 'tabd.outcome': ended.outcome });
        if (ended.outcome !== 'success') fail(ended.outcome);
        return ended;
      });
      const timeOf = (at: number) => events.records.at(at)?.[1].timestamp as number | undefined;
      const [startedAt, endedAt] = [timeOf(0), timeOf(-1)];
      return {
        outcome: result.outcome,
        entryJson: historyEntryJson(prompt, events.records, result),
        ...(startedAt !== undefined && { startedAt }),
        ...(endedAt !== undefined && { endedAt }),
      };
    } finally {
      this.#running = undefined;
      release();
      for (const action of this.#idleActions.splice(0)) action();
    }
  }

  free({ results, path }: FreeOptions): void {
    this.#whenIdle(() => {
      // Without `results` a model in them opens its graphs again when it is used.
      if (results) this.services.cache.clear();
      const graphs = graphsOf(this.services.host);
      void (path === undefined ? graphs.unload() : graphs.forget(path));
    });
  }

  /** Calls `action` when no prompt runs here: now, or after the running one. */
  #whenIdle(action: () => void): void {
    if (!this.#running) action();
    else this.#idleActions.push(action);
  }
}

/** The only place of a server that shares its work with no other process. */
export const onlyPlace = (place: LocalPlace) => ({ list: () => [place], onChange: () => {} });
