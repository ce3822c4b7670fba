/** Prompts in their order, one running at a time; what was accepted outlasts a restart. */
import { sleep } from '#core/base';
import type { NodeId } from '../graph/graph.ts';
import { pythonJson, pythonValueJson, RawJson } from '../python/python-json.ts';
import type { SocketHub } from '../sockets/socket-hub.ts';
import { History } from './history.ts';
import type { Prompt } from './prompt.ts';
import { PromptEvents } from './prompt-events.ts';
import { PromptStore, SECRETS } from './prompt-store.ts';
import { type PromptResult, runPrompt, type Shown } from './run-prompt.ts';
import type { RunServices } from './run-services.ts';

/** A prompt during which the server ended so often is not tried again. */
const MAX_ATTEMPTS = 2;

/** A node that does not look at its signal is not waited for longer when the server stops, in milliseconds. */
const LEAVING = 3000;

/**
 * Milliseconds between the acceptance of a prompt and what is first told of it. Many clients begin to listen for its end
 * only when they have read that it was accepted, by another connection: an end before that is never heard. The server
 * they were written for needs no less for the shortest prompt.
 */
const HEAD_START = 4;

export type NewPrompt = Omit<Prompt, 'sequence' | 'attempts' | 'createdAt'>;

export class PromptQueue {
  readonly history: History;
  /** Settles when what was on record is back. */
  readonly ready: Promise<void>;
  readonly #store: PromptStore;
  readonly #pending: Prompt[] = [];
  #running: { prompt: Prompt; controller: AbortController } | undefined;
  #sequence = 1;
  #counter = 0;
  #busy = false;
  /** A prompt is being put on record that finds nothing before it. */
  #begins = false;
  /** Prompts that are on record with the attempt that is yet to come. */
  readonly #begun = new WeakSet<Prompt>();
  /** When prompts were accepted, in milliseconds since 1970. */
  readonly #accepted = new WeakMap<Prompt, number>();
  #closed = false;
  #work: Promise<void> = Promise.resolve();
  #whenIdle: (() => void)[] = [];

  constructor(
    private readonly services: RunServices,
    private readonly sockets: SocketHub,
  ) {
    this.history = new History(services.host.records);
    this.#store = new PromptStore(services.host.records);
    this.ready = this.#load();
    // Without records the server still answers; what is asked of them says why it cannot.
    this.ready.catch((error) =>
      services.host.log.error('image workflows cannot start', { error: String(error) }),
    );
  }

  /** The number of the next prompt: every one that asks uses one up. */
  count(): number {
    return this.#counter++;
  }

  get remaining(): number {
    return this.#pending.length + (this.#running ? 1 : 0);
  }

  get running(): readonly Prompt[] {
    return this.#running ? [this.#running.prompt] : [];
  }

  /** In the order in which they will run. */
  get pending(): readonly Prompt[] {
    return this.#pending;
  }

  async add(accepted: NewPrompt): Promise<Prompt> {
    const { clock } = this.services.host;
    // What is going to run at once is put on record as begun: one write for both.
    const begins = !this.#busy && !this.#begins;
    const prompt = {
      ...accepted,
      sequence: this.#sequence++,
      attempts: begins ? 1 : 0,
      createdAt: Math.floor(clock.now()),
    };
    this.#begins ||= begins;
    try {
      await this.#store.put(prompt);
    } finally {
      if (begins) this.#begins = false;
    }
    if (begins) this.#begun.add(prompt);
    this.#accepted.set(prompt, clock.now());
    this.#insert(prompt);
    this.#tellStatus();
    this.#wake();
    return prompt;
  }

  /** Drops pending prompts; the one that runs stays. */
  async remove(isMeant: (prompt: Prompt) => boolean): Promise<number> {
    const dropped = this.#pending.filter(isMeant);
    if (dropped.length === 0) return 0;
    const kept = this.#pending.filter((prompt) => !dropped.includes(prompt));
    this.#pending.splice(0, this.#pending.length, ...kept);
    for (const prompt of dropped) await this.#store.delete(prompt);
    this.#tellStatus();
    return dropped.length;
  }

  /** Interrupts what runs, when it is `id` or no id is given. */
  interrupt(id?: string): boolean {
    if (!this.#running || (id !== undefined && this.#running.prompt.id !== id)) return false;
    this.#running.controller.abort(new DOMException('The prompt was interrupted', 'AbortError'));
    return true;
  }

  /** Calls `act` when no prompt runs: now, or after the one that does. */
  whenIdle(act: () => void): void {
    if (!this.#running) act();
    else this.#whenIdle.push(act);
  }

  /** Ends what runs, to be run again by the next server. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#running?.controller.abort(new Error('the server is stopping'));
    let cancel = () => {};
    const late = new Promise<void>((resolve) => {
      cancel = this.services.host.clock.after(LEAVING, resolve);
    });
    await Promise.race([this.#work, late]);
    cancel();
    for (const prompt of this.#pending) {
      if (!this.#begun.delete(prompt)) continue;
      prompt.attempts--;
      await this.#store.put(prompt);
    }
  }

  async #load(): Promise<void> {
    await this.history.load();
    for (const prompt of await this.#store.load()) {
      this.#sequence = prompt.sequence + 1;
      this.#counter = Math.max(this.#counter, Math.floor(Math.abs(prompt.number)) + 1);
      const isKnown = prompt.outputs.every((id) => prompt.graph.has(id));
      const canRun = [...prompt.graph.values()].every(({ className }) => this.services.types.has(className));
      if (prompt.attempts < MAX_ATTEMPTS && isKnown && canRun) this.#insert(prompt);
      else await this.#giveUp(prompt, canRun);
    }
    if (this.#pending.length === 0) return;
    this.#tellStatus();
    this.#wake();
  }

  #insert(prompt: Prompt): void {
    const at = this.#pending.findIndex((other) => comesBefore(prompt, other));
    if (at < 0) this.#pending.push(prompt);
    else this.#pending.splice(at, 0, prompt);
  }

  #tellStatus(): void {
    this.sockets.setQueueRemaining(this.remaining);
  }

  #wake(): void {
    if (this.#busy || this.#closed) return;
    this.#busy = true;
    this.#work = this.#runAll();
  }

  async #runAll(): Promise<void> {
    while (!this.#closed) {
      const prompt = this.#pending.shift();
      if (!prompt) break;
      this.#running = { prompt, controller: new AbortController() };
      this.#tellStatus();
      try {
        await this.#runOne(prompt, this.#running.controller.signal);
      } catch (error) {
        this.services.host.log.error('a prompt could not be kept', {
          prompt: prompt.id,
          error: String(error),
        });
      }
      for (const act of this.#whenIdle.splice(0)) act();
    }
    // With the look at the empty queue, not after it: what is added next has to wake this again.
    this.#busy = false;
  }

  async #runOne(prompt: Prompt, signal: AbortSignal): Promise<void> {
    const { clock } = this.services.host;
    if (!this.#begun.delete(prompt)) {
      prompt.attempts++;
      await this.#store.put(prompt);
    }
    await this.#headStart(prompt, signal);
    const channel = new PromptEvents(prompt.id, prompt.clientId, this.sockets, clock);
    const result = await runPrompt(prompt, this.services, channel, signal);
    if (this.#closed && result.outcome === 'interrupted') {
      prompt.attempts--;
      await this.#store.put(prompt);
      this.#running = undefined;
      return;
    }
    try {
      await this.#keep(prompt, channel, result);
    } finally {
      this.#running = undefined;
      this.#tellStatus();
      channel.end();
    }
  }

  /** Nothing for a prompt that stood in line. */
  async #headStart(prompt: Prompt, signal: AbortSignal): Promise<void> {
    const { clock } = this.services.host;
    const accepted = this.#accepted.get(prompt) ?? 0;
    // A clock that was set back is no reason to wait longer.
    const left = Math.min(HEAD_START, accepted + HEAD_START - clock.now());
    // An interrupt is told by the run itself.
    if (left > 0) await sleep(clock, left, signal).catch(() => {});
  }

  async #keep(prompt: Prompt, channel: PromptEvents, { outcome, outputs }: PromptResult): Promise<void> {
    const { messages } = channel;
    // What stands next in line begins as soon as this is kept: one write for both.
    const [next] = this.#pending;
    const begins = next && !this.#closed && !this.#begun.has(next) ? next : undefined;
    if (begins) {
      begins.attempts++;
      this.#begun.add(begins);
    }
    await this.history.put(
      prompt.id,
      entryJson(prompt, messages, outcome, outputs),
      {
        status: outcome === 'success' ? 'completed' : 'failed',
        priority: prompt.number,
        createdAt: prompt.createdAt,
        startedAt: messages[0]?.[1].timestamp as number,
        endedAt: messages.at(-1)?.[1].timestamp as number,
      },
      this.#store.deletionOf(prompt),
      ...(begins ? [this.#store.changeOf(begins)] : []),
    );
  }

  /** A prompt that was on record and cannot be run: history says why. */
  async #giveUp(prompt: Prompt, canRun: boolean): Promise<void> {
    const channel = new PromptEvents(prompt.id, undefined, this.sockets, this.services.host.clock);
    channel.milestone('execution_start', { prompt_id: prompt.id });
    channel.milestone('execution_error', {
      prompt_id: prompt.id,
      node_id: null,
      node_type: null,
      executed: [],
      exception_message: canRun
        ? 'the server ended twice while this prompt ran; submit it again, with smaller pictures or models\n'
        : 'a node of this prompt does not exist any more\n',
      exception_type: 'RuntimeError',
      traceback: [],
      current_inputs: {},
      current_outputs: [],
    });
    await this.#keep(prompt, channel, { outcome: 'error', outputs: new Map() });
  }
}

/** Lowest number first, then by id as text, then by arrival. */
function comesBefore(a: Prompt, b: Prompt): boolean {
  if (a.number !== b.number) return a.number < b.number;
  return a.id === b.id ? a.sequence < b.sequence : a.id < b.id;
}

/** `[number, id, graph, extra_data, outputs]`, as queue and history show a prompt. */
export function promptJson(prompt: Prompt, withSecrets: boolean): RawJson {
  const extra = withSecrets
    ? prompt.extraData
    : new Map([...prompt.extraData].filter(([name]) => !SECRETS.includes(name)));
  const parts = [
    prompt.numberJson,
    pythonJson(prompt.id),
    prompt.graphJson,
    pythonValueJson(extra),
    pythonJson(prompt.outputs),
  ];
  return new RawJson(`[${parts.join(', ')}]`);
}

function entryJson(
  prompt: Prompt,
  messages: PromptEvents['messages'],
  outcome: PromptResult['outcome'],
  shown: ReadonlyMap<NodeId, Shown>,
): string {
  const outputs = new Map([...shown].map(([id, { ui }]) => [id, ui]));
  // Of a result that was kept: the node that made it, under the key that it has now.
  const meta = new Map(
    [...shown].map(([id, { madeBy }]) => [
      id,
      { node_id: madeBy, display_node: madeBy, parent_node: null, real_node_id: madeBy },
    ]),
  );
  return pythonJson({
    prompt: promptJson(prompt, false),
    outputs,
    status: {
      status_str: outcome === 'success' ? 'success' : 'error',
      completed: outcome === 'success',
      messages,
    },
    meta,
  });
}
