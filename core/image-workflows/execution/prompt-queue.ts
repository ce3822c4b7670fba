import { PendingWrites, sleep } from '#core/base';
import { StorageFull } from '#core/host';
import { ApiError } from '#core/http';
import type { SocketHub } from '../sockets/socket-hub.ts';
import { failedEnd, interruptedEnd } from './end-without-run.ts';
import { History } from './history.ts';
import { LocalPlace, onlyPlace } from './local-place.ts';
import type { Prompt } from './prompt.ts';
import { PromptAssignments } from './prompt-assignments.ts';
import { PromptEvents } from './prompt-events.ts';
import {
  type FreeOptions,
  PlaceClosing,
  PlaceLost,
  type PromptEnd,
  type PromptPlace,
  type PromptPlaces,
} from './prompt-place.ts';
import { PromptStore } from './prompt-store.ts';
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

const ENDED_TWICE =
  'the server ended twice while this prompt ran; submit it again, with smaller images or models\n';
const UNKNOWN_NODE = 'a node of this prompt does not exist any more\n';

export type NewPrompt = Omit<Prompt, 'sequence' | 'attempts' | 'createdAt' | 'process'>;

interface RunningPrompt {
  prompt: Prompt;
  place: PromptPlace;
  controller: AbortController;
}

/**
 * Runs accepted prompts in their order, one at each place. They are stored, so that the next server continues with them.
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
  /** In the order of their begin. */
  readonly #running = new Set<RunningPrompt>();
  readonly #places: PromptPlaces;
  readonly #assignments: PromptAssignments;
  #nextSequence = 1;
  #nextNumber = 0;
  /** Prompts that will run at once and are being stored. */
  #storing = 0;
  /** Pending prompts whose record already counts the attempt to come. */
  readonly #countedAttempts = new WeakSet<Prompt>();
  /** Milliseconds since 1970. */
  readonly #acceptedAt = new WeakMap<Prompt, number>();
  #isClosed = false;
  readonly #work = new Set<Promise<void>>();
  /** Entries of the history for which the storage had no room. */
  readonly #unstoredHistory: PendingWrites;

  /** @param places where prompts run. Default: in this process */
  constructor(
    private readonly services: RunServices,
    private readonly sockets: SocketHub,
    places?: PromptPlaces,
  ) {
    this.#places = places ?? onlyPlace(new LocalPlace(services));
    this.#assignments = new PromptAssignments(services.types, this.#places);
    const { clock, log } = services.host;
    this.#unstoredHistory = new PendingWrites(
      clock,
      (error) => error instanceof StorageFull,
      (error) => log.error('the history of a prompt is lost', { error: String(error) }),
    );
    this.history = new History(services.host.records);
    this.#store = new PromptStore(services.host.records);
    this.ready = this.#load();
    this.#places.onChange(() => this.#startWorking());
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
    return this.#pending.length + this.#running.size;
  }

  get running(): readonly Prompt[] {
    return [...this.#running].map(({ prompt }) => prompt);
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
    const { clock, tracing } = this.services.host;
    const runsAtOnce =
      this.#countsAhead && this.#assignments.freePlaces(this.#isBusy) > this.#pending.length + this.#storing;
    const traceparent = tracing?.current();
    const prompt: Prompt = {
      ...accepted,
      ...(traceparent !== undefined && { traceparent }),
      sequence: this.#nextSequence++,
      attempts: runsAtOnce ? 1 : 0,
      createdAt: Math.floor(clock.now()),
    };
    if (runsAtOnce) this.#storing++;
    try {
      await this.#store.put(prompt);
    } finally {
      if (runsAtOnce) this.#storing--;
    }
    if (runsAtOnce) this.#countedAttempts.add(prompt);
    this.#acceptedAt.set(prompt, clock.now());
    this.#insert(prompt);
    this.#sendStatus();
    this.#startWorking();
    return prompt;
  }

  /** Removes pending prompts; the running ones stay. Returns how many. */
  async remove(matches: (prompt: Prompt) => boolean): Promise<number> {
    const removed = this.#pending.filter(matches);
    if (removed.length === 0) return 0;
    const rest = this.#pending.filter((prompt) => !removed.includes(prompt));
    this.#pending.splice(0, this.#pending.length, ...rest);
    for (const prompt of removed) await this.#store.delete(prompt);
    this.#sendStatus();
    return removed.length;
  }

  /** Interrupts all running prompts. With an `id`, only the prompt of that id. Returns whether there was one. */
  interrupt(id?: string): boolean {
    const matching = [...this.#running].filter(({ prompt }) => id === undefined || prompt.id === id);
    for (const { controller } of matching)
      controller.abort(new DOMException('The prompt was interrupted', 'AbortError'));
    return matching.length > 0;
  }

  /** Frees memory at each place, when no prompt runs there. */
  free(options: FreeOptions): void {
    for (const place of this.#places.list()) place.free(options);
  }

  /** Interrupts the running prompts. The next server runs them again. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const { controller } of this.#running) controller.abort(new PlaceClosing('the server is stopping'));
    let cancelTimeout = () => {};
    const timeout = new Promise<void>((resolve) => {
      cancelTimeout = this.services.host.clock.after(CLOSE_TIMEOUT, resolve);
    });
    await Promise.race([Promise.all(this.#work), timeout]);
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
      await this.#uncountSurvived(prompt);
      if (prompt.attempts < MAX_ATTEMPTS && hasOutputs && hasTypes) this.#insert(prompt);
      else await this.#abandon(prompt, hasTypes ? ENDED_TWICE : UNKNOWN_NODE);
    }
    if (this.#pending.length === 0) return;
    this.#sendStatus();
    this.#startWorking();
  }

  /** The process that ran the prompt still runs: another one ended. */
  async #uncountSurvived(prompt: Prompt): Promise<void> {
    const { cluster } = this.services.host;
    if (prompt.process === undefined || !(await cluster?.isRunning(prompt.process))) return;
    prompt.attempts = Math.max(0, prompt.attempts - 1);
    delete prompt.process;
    await this.#store.put(prompt);
  }

  #insert(prompt: Prompt): void {
    const index = this.#pending.findIndex((other) => runsBefore(prompt, other));
    if (index < 0) this.#pending.push(prompt);
    else this.#pending.splice(index, 0, prompt);
  }

  #sendStatus(): void {
    this.sockets.setQueueRemaining(this.remaining);
  }

  readonly #isBusy = (place: PromptPlace): boolean =>
    [...this.#running].some((running) => running.place === place);

  /** With one place alone, the next prompt is known early enough to count its attempt in an earlier write. */
  get #countsAhead(): boolean {
    return this.#places.list().length === 1;
  }

  #startWorking(): void {
    while (!this.#isClosed) {
      const taken = this.#assignments.take(this.#pending, this.#isBusy);
      if (!taken) return;
      const next = { ...taken, controller: new AbortController() };
      this.#running.add(next);
      this.#sendStatus();
      const work = this.#runAndGoOn(next);
      this.#work.add(work);
      void work.then(() => this.#work.delete(work));
    }
  }

  async #runAndGoOn(running: RunningPrompt): Promise<void> {
    try {
      await this.#run(running);
    } catch (error) {
      this.services.host.log.error('a prompt could not be stored', {
        prompt: running.prompt.id,
        error: String(error),
      });
    }
    // No `await` may come between the end and this line: a prompt added meanwhile would never start.
    this.#running.delete(running);
    this.#startWorking();
  }

  async #run(running: RunningPrompt): Promise<void> {
    const { prompt, place, controller } = running;
    const { clock, meter } = this.services.host;
    const { process } = place;
    const isCounted = this.#countedAttempts.delete(prompt);
    if (!isCounted) prompt.attempts++;
    if (!isCounted || prompt.process !== process) {
      if (process === undefined) delete prompt.process;
      else prompt.process = process;
      await this.#store.put(prompt);
    }
    await this.#waitForListeners(prompt, controller.signal);
    let end: PromptEnd;
    try {
      const begin = clock.now();
      end = await place.run(prompt, this.sockets, controller.signal);
      const waited = Math.max(0, begin - prompt.createdAt) / 1000;
      const ran = Math.max(0, clock.now() - begin) / 1000;
      meter?.({ api: 'image-workflows', outcome: end.outcome, waited, ran });
    } catch (error) {
      return this.#lost(running, error);
    }
    if (this.#isClosed && end.outcome === 'interrupted') {
      prompt.attempts--;
      await this.#store.put(prompt);
      this.#running.delete(running);
      return;
    }
    try {
      await this.#moveToHistory(prompt, end);
    } catch (error) {
      if (!(error instanceof StorageFull)) throw error;
      const { log } = this.services.host;
      log.warn('the history of a prompt is stored once there is room', { prompt: prompt.id });
      this.#unstoredHistory.add(() => this.#moveToHistory(prompt, end));
    } finally {
      this.#running.delete(running);
      this.#sendStatus();
      this.#eventsOf(prompt, prompt.clientId).promptEnded();
    }
  }

  /** The place has no result. The prompt waits again, unless it was tried too often. */
  async #lost({ prompt, controller }: RunningPrompt, error: unknown): Promise<void> {
    if (!(error instanceof PlaceLost)) throw error;
    const { log } = this.services.host;
    log.warn('a place for prompts was lost', { prompt: prompt.id, error: error.message });
    if (!error.mayHaveRun || this.#isClosed) prompt.attempts--;
    if (controller.signal.aborted && !this.#isClosed) {
      const events = this.#eventsOf(prompt, prompt.clientId);
      await this.#moveToHistory(prompt, interruptedEnd(prompt, events));
      return events.promptEnded();
    }
    if (prompt.attempts >= MAX_ATTEMPTS) return this.#abandon(prompt, ENDED_TWICE, prompt.clientId);
    await this.#store.put(prompt);
    if (!this.#isClosed) this.#insert(prompt);
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

  /** Replaces the prompt's record by a history entry, and may count the attempt of the next prompt in the same write. */
  #moveToHistory(prompt: Prompt, { outcome, entryJson, startedAt, endedAt }: PromptEnd): Promise<void> {
    const [first] = this.#pending;
    const isKnown = first && this.#countsAhead && !this.#isClosed && !this.#countedAttempts.has(first);
    const next = isKnown ? first : undefined;
    if (next) {
      next.attempts++;
      this.#countedAttempts.add(next);
    }
    return this.history.put(
      prompt.id,
      entryJson,
      {
        status: outcome === 'success' ? 'completed' : 'failed',
        priority: prompt.number,
        createdAt: prompt.createdAt,
        ...(startedAt !== undefined && { startedAt }),
        ...(endedAt !== undefined && { endedAt }),
      },
      this.#store.deletionOf(prompt),
      ...(next ? [this.#store.changeOf(next)] : []),
    );
  }

  /** Moves a prompt that cannot run to history, which says why. @param clientId receives the events */
  async #abandon(prompt: Prompt, reason: string, clientId?: string): Promise<void> {
    const events = this.#eventsOf(prompt, clientId);
    await this.#moveToHistory(prompt, failedEnd(prompt, events, reason));
    if (clientId !== undefined) events.promptEnded();
  }

  #eventsOf(prompt: Prompt, clientId: string | undefined): PromptEvents {
    return new PromptEvents(prompt.id, clientId, this.sockets, this.services.host.clock);
  }
}

/** Lowest number first, then by id as text. Prompts that are equal in both stay in the order of their arrival. */
function runsBefore(a: Prompt, b: Prompt): boolean {
  return a.number === b.number ? a.id < b.id : a.number < b.number;
}
