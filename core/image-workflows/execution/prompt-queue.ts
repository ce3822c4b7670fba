import { PendingWrites, sleep } from '#core/base';
import { StorageFull } from '#core/host';
import { ApiError } from '#core/http';
import type { SocketHub } from '../sockets/socket-hub.ts';
import { History } from './history.ts';
import type { Prompt } from './prompt.ts';
import { PromptEvents } from './prompt-events.ts';
import { historyEntryJson } from './prompt-json.ts';
import { PromptStore } from './prompt-store.ts';
import { type PromptResult, runPrompt } from './run-prompt.ts';
import type { RunServices } from './run-services.ts';

/** A prompt during which this many servers ended is not tried again. */
const MAX_ATTEMPTS = 2;

/** Milliseconds for which a closing server waits for a node that ignores its signal. */
const CLOSE_TIMEOUT = 3000;

/**
 * Milliseconds between the acceptance of a prompt and its first event. Many clients begin to listen only when they have
 * read the response, on another connection, and would miss an earlier end. ComfyUI takes as long for the shortest prompt.
 */
const START_DELAY = 4;

/** How much may wait. A prompt that finds less room is refused. */
const LIMITS = { prompts: 10_000, characters: 256 * 2 ** 20 };

export type NewPrompt = Omit<Prompt, 'sequence' | 'attempts' | 'createdAt'>;

/**
 * Runs accepted prompts in their order, one at a time. They are stored, so that the next server continues with them.
 *
 * The record of a prompt counts its attempts, because a prompt may crash the server. The count rises in the same write
 * as the event before the run: the acceptance, or the end of the previous prompt.
 */
export class PromptQueue {
  readonly history: History;
  limits = LIMITS;
  /** Resolves when the stored prompts and history are loaded. */
  readonly ready: Promise<void>;
  readonly #store: PromptStore;
  readonly #pending: Prompt[] = [];
  #running: { prompt: Prompt; controller: AbortController } | undefined;
  #nextSequence = 1;
  #nextNumber = 0;
  #isWorking = false;
  /** A prompt that will run at once is being stored. */
  #storesFirst = false;
  /** Pending prompts whose record already counts the attempt to come. */
  readonly #countedAttempts = new WeakSet<Prompt>();
  /** Milliseconds since 1970. */
  readonly #acceptedAt = new WeakMap<Prompt, number>();
  #isClosed = false;
  #work: Promise<void> = Promise.resolve();
  #idleActions: (() => void)[] = [];
  /** Entries of the history for which the storage had no room. */
  readonly #unstoredHistory: PendingWrites;

  constructor(
    private readonly services: RunServices,
    private readonly sockets: SocketHub,
  ) {
    const { clock, log } = services.host;
    this.#unstoredHistory = new PendingWrites(
      clock,
      (error) => error instanceof StorageFull,
      (error) => log.error('the history of a prompt is lost', { error: String(error) }),
    );
    this.history = new History(services.host.records);
    this.#store = new PromptStore(services.host.records);
    this.ready = this.#load();
    // Without records the server still answers; requests that need them report the reason.
    this.ready.catch((error) =>
      services.host.log.error('image workflows cannot start', { error: String(error) }),
    );
  }

  /** Returns the number of a new prompt. Each call returns the next number. */
  takeNumber(): number {
    return this.#nextNumber++;
  }

  #requireRoom({ graphJson }: NewPrompt): void {
    const waiting = this.#pending.reduce((sum, prompt) => sum + prompt.graphJson.length, graphJson.length);
    if (this.remaining < this.limits.prompts && waiting <= this.limits.characters) return;
    throw new ApiError(503, 'too many prompts wait: try again when some have run');
  }

  /** How many prompts wait or run. */
  get remaining(): number {
    return this.#pending.length + (this.#running ? 1 : 0);
  }

  get running(): readonly Prompt[] {
    return this.#running ? [this.#running.prompt] : [];
  }

  /** The waiting prompts, in the order in which they will run. */
  get pending(): readonly Prompt[] {
    return this.#pending;
  }

  /**
   * Resolves when the prompt is stored and in the queue.
   * @throws ApiError 503 when too many prompts wait
   */
  async add(accepted: NewPrompt): Promise<Prompt> {
    this.#requireRoom(accepted);
    const { clock } = this.services.host;
    const runsAtOnce = !this.#isWorking && !this.#storesFirst;
    const prompt = {
      ...accepted,
      sequence: this.#nextSequence++,
      attempts: runsAtOnce ? 1 : 0,
      createdAt: Math.floor(clock.now()),
    };
    this.#storesFirst ||= runsAtOnce;
    try {
      await this.#store.put(prompt);
    } finally {
      if (runsAtOnce) this.#storesFirst = false;
    }
    if (runsAtOnce) this.#countedAttempts.add(prompt);
    this.#acceptedAt.set(prompt, clock.now());
    this.#insert(prompt);
    this.#sendStatus();
    this.#startWorking();
    return prompt;
  }

  /** Removes pending prompts; the running one stays. Returns how many. */
  async remove(matches: (prompt: Prompt) => boolean): Promise<number> {
    const removed = this.#pending.filter(matches);
    if (removed.length === 0) return 0;
    const rest = this.#pending.filter((prompt) => !removed.includes(prompt));
    this.#pending.splice(0, this.#pending.length, ...rest);
    for (const prompt of removed) await this.#store.delete(prompt);
    this.#sendStatus();
    return removed.length;
  }

  /** Interrupts the running prompt. With an `id`, only the prompt of that id. Returns whether it did. */
  interrupt(id?: string): boolean {
    if (!this.#running || (id !== undefined && this.#running.prompt.id !== id)) return false;
    this.#running.controller.abort(new DOMException('The prompt was interrupted', 'AbortError'));
    return true;
  }

  /** Calls `action` when no prompt runs: now, or after the running one. */
  whenIdle(action: () => void): void {
    if (!this.#running) action();
    else this.#idleActions.push(action);
  }

  /** Interrupts the running prompt. The next server runs it again. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#running?.controller.abort(new Error('the server is stopping'));
    let cancelTimeout = () => {};
    const timeout = new Promise<void>((resolve) => {
      cancelTimeout = this.services.host.clock.after(CLOSE_TIMEOUT, resolve);
    });
    await Promise.race([this.#work, timeout]);
    cancelTimeout();
    await this.#unstoredHistory.close();
    for (const prompt of this.#pending) {
      if (!this.#countedAttempts.delete(prompt)) continue;
      prompt.attempts--;
      await this.#store.put(prompt);
    }
  }

  async #load(): Promise<void> {
    await this.history.load();
    for (const prompt of await this.#store.load()) {
      this.#nextSequence = prompt.sequence + 1;
      this.#nextNumber = Math.max(this.#nextNumber, Math.floor(Math.abs(prompt.number)) + 1);
      const hasOutputs = prompt.outputs.every((id) => prompt.graph.has(id));
      const hasTypes = [...prompt.graph.values()].every(({ className }) =>
        this.services.types.has(className),
      );
      if (prompt.attempts < MAX_ATTEMPTS && hasOutputs && hasTypes) this.#insert(prompt);
      else await this.#abandon(prompt, hasTypes);
    }
    if (this.#pending.length === 0) return;
    this.#sendStatus();
    this.#startWorking();
  }

  #insert(prompt: Prompt): void {
    const index = this.#pending.findIndex((other) => runsBefore(prompt, other));
    if (index < 0) this.#pending.push(prompt);
    else this.#pending.splice(index, 0, prompt);
  }

  #sendStatus(): void {
    this.sockets.setQueueRemaining(this.remaining);
  }

  #startWorking(): void {
    if (this.#isWorking || this.#isClosed) return;
    this.#isWorking = true;
    this.#work = this.#runAll();
  }

  async #runAll(): Promise<void> {
    while (!this.#isClosed) {
      const prompt = this.#pending.shift();
      if (!prompt) break;
      this.#running = { prompt, controller: new AbortController() };
      this.#sendStatus();
      try {
        await this.#run(prompt, this.#running.controller.signal);
      } catch (error) {
        this.services.host.log.error('a prompt could not be stored', {
          prompt: prompt.id,
          error: String(error),
        });
      }
      for (const action of this.#idleActions.splice(0)) action();
    }
    // No `await` may come between the empty queue and this line: a prompt added meanwhile would never start.
    this.#isWorking = false;
  }

  async #run(prompt: Prompt, signal: AbortSignal): Promise<void> {
    if (!this.#countedAttempts.delete(prompt)) {
      prompt.attempts++;
      await this.#store.put(prompt);
    }
    await this.#waitForListeners(prompt, signal);
    const events = this.#eventsOf(prompt, prompt.clientId);
    const result = await runPrompt(prompt, this.services, events, signal);
    if (this.#isClosed && result.outcome === 'interrupted') {
      prompt.attempts--;
      await this.#store.put(prompt);
      this.#running = undefined;
      return;
    }
    try {
      await this.#moveToHistory(prompt, events, result);
    } catch (error) {
      if (!(error instanceof StorageFull)) throw error;
      const { log } = this.services.host;
      log.warn('the history of a prompt is stored once there is room', { prompt: prompt.id });
      this.#unstoredHistory.add(() => this.#moveToHistory(prompt, events, result));
    } finally {
      this.#running = undefined;
      this.#sendStatus();
      events.promptEnded();
    }
  }

  /** Waits until `START_DELAY` has passed since the prompt was accepted. A prompt that waited in the queue starts at once. */
  async #waitForListeners(prompt: Prompt, signal: AbortSignal): Promise<void> {
    const { clock } = this.services.host;
    const acceptedAt = this.#acceptedAt.get(prompt) ?? 0;
    // A clock that was set back must not prolong the wait.
    const remaining = Math.min(START_DELAY, acceptedAt + START_DELAY - clock.now());
    // The run itself reports an interrupt.
    if (remaining > 0) await sleep(clock, remaining, signal).catch(() => {});
  }

  /** Replaces the prompt's record by a history entry, and counts the attempt of the next prompt in the same write. */
  async #moveToHistory(prompt: Prompt, { records }: PromptEvents, result: PromptResult): Promise<void> {
    const [first] = this.#pending;
    const next = first && !this.#isClosed && !this.#countedAttempts.has(first) ? first : undefined;
    if (next) {
      next.attempts++;
      this.#countedAttempts.add(next);
    }
    await this.history.put(
      prompt.id,
      historyEntryJson(prompt, records, result),
      {
        status: result.outcome === 'success' ? 'completed' : 'failed',
        priority: prompt.number,
        createdAt: prompt.createdAt,
        startedAt: records[0]?.[1].timestamp as number,
        endedAt: records.at(-1)?.[1].timestamp as number,
      },
      this.#store.deletionOf(prompt),
      ...(next ? [this.#store.changeOf(next)] : []),
    );
  }

  /** Moves a stored prompt that cannot run to history, which says why. No client receives the events. */
  async #abandon(prompt: Prompt, hasTypes: boolean): Promise<void> {
    const events = this.#eventsOf(prompt, undefined);
    events.promptEvent('execution_start', { prompt_id: prompt.id });
    events.promptEvent('execution_error', {
      prompt_id: prompt.id,
      node_id: null,
      node_type: null,
      executed: [],
      exception_message: hasTypes
        ? 'the server ended twice while this prompt ran; submit it again, with smaller images or models\n'
        : 'a node of this prompt does not exist any more\n',
      exception_type: 'RuntimeError',
      traceback: [],
      current_inputs: {},
      current_outputs: [],
    });
    await this.#moveToHistory(prompt, events, { outcome: 'error', shown: new Map() });
  }

  #eventsOf(prompt: Prompt, clientId: string | undefined): PromptEvents {
    return new PromptEvents(prompt.id, clientId, this.sockets, this.services.host.clock);
  }
}

/** Lowest number first, then by id as text. Prompts that are equal in both stay in the order of their arrival. */
function runsBefore(a: Prompt, b: Prompt): boolean {
  return a.number === b.number ? a.id < b.id : a.number < b.number;
}
