/** Runs one target in a worker thread: mutates inputs, and keeps those that reach new code. */
import { getHeapStatistics } from 'node:v8';
import { parentPort, workerData } from 'node:worker_threads';
import { type MutationSource, mutate } from './mutate.ts';
import { CURRENT_HEAD, type EngineOptions, type EngineReport, type Finding } from './protocol.ts';
import { Random } from './random.ts';
import type { FuzzTarget } from './target.ts';

const DEFAULT_MAX_BYTES = 4096;
const DEFAULT_MAX_MEMORY = 256 * 2 ** 20;
/** Distinct findings after which a run ends: one cause often has several. */
const MAX_FINDINGS = 20;
/** How often a failing input is tried to be made shorter. */
const MAX_REDUCTIONS = 400;

const report = (message: EngineReport) => parentPort!.postMessage(message);

class Engine {
  readonly #random: Random;
  readonly #counters: Uint8Array;
  /** The counts of each counter seen so far, as bits of their magnitude. */
  readonly #seen: Uint8Array;
  readonly #corpus: Uint8Array[] = [];
  readonly #signatures = new Set<string>();
  readonly #current: Uint8Array;
  readonly #currentHead: Int32Array;
  #covered = 0;
  #runs = 0;

  constructor(
    private readonly target: FuzzTarget,
    private readonly options: EngineOptions,
  ) {
    this.#random = new Random(options.seed);
    const { __fuzzCounters: counters } = globalThis as unknown as { __fuzzCounters: Uint8Array };
    this.#counters = counters.subarray(0, options.counters);
    this.#seen = new Uint8Array(options.counters);
    this.#current = new Uint8Array(options.current, CURRENT_HEAD);
    this.#currentHead = new Int32Array(options.current, 0, 3);
  }

  async run(): Promise<void> {
    const encoder = new TextEncoder();
    const encoded = (input: Uint8Array | string) =>
      typeof input === 'string' ? encoder.encode(input) : input;
    const { target, options } = this;
    const maxBytes = target.maxBytes ?? DEFAULT_MAX_BYTES;
    const seeds = options.replays ? [] : [...(await target.seeds())].map(encoded);
    for (const input of [...seeds, ...options.inputs]) {
      if (this.#isOver) break;
      this.#corpus.push(input);
      await this.#try(input);
    }
    const words = [...options.words, ...(target.words ?? [])].map(encoded);
    const source: MutationSource = { random: this.#random, words, corpus: this.#corpus, maxBytes };
    const hasRuns = () => this.#runs < options.maxRuns && this.#signatures.size < MAX_FINDINGS;
    while (!options.replays && !this.#isOver && hasRuns()) {
      const input = mutate(this.#choose(), source);
      if (await this.#try(input)) this.#corpus.push(input);
    }
    report({ type: 'end', covered: this.#covered });
  }

  get #isOver(): boolean {
    return Atomics.load(this.#currentHead, 2) !== 0;
  }

  /** Every second input comes from the last quarter, which has found new code lately. */
  #choose(): Uint8Array {
    const { length } = this.#corpus;
    if (length === 0) return new Uint8Array(1);
    const recent = this.#random.below(2) === 0 ? Math.ceil(length / 4) : length;
    return this.#corpus[length - 1 - this.#random.below(recent)]!;
  }

  /** Whether the input reached new code. */
  async #try(input: Uint8Array): Promise<boolean> {
    this.#counters.fill(0);
    const finding = await this.#execute(input);
    const isNew = this.#addCoverage();
    if (isNew) report({ type: 'input', bytes: input, covered: this.#covered });
    if (finding && !this.#signatures.has(finding.signature)) {
      this.#signatures.add(finding.signature);
      report({ type: 'finding', finding: await this.#reduce(finding) });
    }
    // Timers of the platform run between inputs.
    if (this.#runs % 512 === 0) await new Promise(setImmediate);
    return isNew && !finding;
  }

  async #execute(input: Uint8Array): Promise<Finding | undefined> {
    this.#current.set(input.subarray(0, this.#current.length));
    Atomics.store(this.#currentHead, 1, input.length);
    Atomics.store(this.#currentHead, 0, ++this.#runs);
    const before = getHeapStatistics().external_memory;
    try {
      const result = this.target.run(input.slice());
      if (result instanceof Promise) await result;
    } catch (error) {
      if (!this.target.refusals.some((refusal) => error instanceof refusal))
        return { kind: 'error', input, signature: signatureOf(error), details: detailsOf(error) };
    }
    const bytes = getHeapStatistics().external_memory - before;
    if (bytes <= (this.target.maxMemory ?? DEFAULT_MAX_MEMORY)) return undefined;
    const details = `one run took ${Math.round(bytes / 2 ** 20)} MiB outside of the heap`;
    return { kind: 'memory', input, signature: 'memory outside of the heap', details };
  }

  /** Adds the counters of the last run to those seen. Whether one has a new magnitude. */
  #addCoverage(): boolean {
    let isNew = false;
    for (let i = 0; i < this.#counters.length; i++) {
      const count = this.#counters[i]!;
      if (count === 0) continue;
      const magnitude = 1 << (31 - Math.clz32(count));
      if (this.#seen[i]! & magnitude) continue;
      if (this.#seen[i] === 0) this.#covered++;
      this.#seen[i]! |= magnitude;
      isNew = true;
    }
    return isNew;
  }

  /** Removes pieces of a failing input while it fails in the same way. */
  async #reduce(finding: Finding): Promise<Finding> {
    let shortest = finding;
    let tries = 0;
    for (let size = finding.input.length >> 1; size > 0; size >>= 1) {
      for (let at = 0; at < shortest.input.length && tries < MAX_REDUCTIONS; tries++) {
        const { input } = shortest;
        const shorter = new Uint8Array([...input.subarray(0, at), ...input.subarray(at + size)]);
        const again = await this.#execute(shorter);
        if (again?.signature === finding.signature) shortest = again;
        else at += size;
      }
    }
    return shortest;
  }
}

/** The error's class, its message without numbers and quotations, and the function that threw it. */
function signatureOf(error: unknown): string {
  if (!(error instanceof Error)) return `throws ${typeof error}`;
  if (error.name === 'BrokenInvariant') return error.message.split(':')[0]!;
  const message = error.message.slice(0, 120).replace(/["'`].*["'`]|\d+|[^\x20-\x7e]/g, '#');
  const frame = /^\s+at (?:async )?(\S+) \(/m.exec(error.stack ?? '')?.[1] ?? '';
  return `${error.name}: ${message} (${frame})`;
}

const detailsOf = (error: unknown): string =>
  error instanceof Error ? (error.stack ?? String(error)).slice(0, 2000) : String(error);

// Libraries report damaged input there, once for each run.
for (const method of ['log', 'warn', 'error', 'info'] as const) console[method] = () => {};
const options = workerData as EngineOptions;
const { default: target } = (await import(options.url)) as { default: FuzzTarget };
report({ type: 'ready' });
await new Engine(target, options).run();
