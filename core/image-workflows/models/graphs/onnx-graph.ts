import { type Mutex, orAborted } from '#core/base';
import type { FileEdit, Files, Host, NamedGraphFile, TensorSession } from '#core/host';
import type { GraphChange, GraphSource, ModelGraph } from '../../values/model-graph.ts';
import { changedNumbers, changesByWeight, graphEdits } from './graph-edits.ts';
import { OnnxGraphSource } from './graph-source.ts';

/** Copies of a file that opening it may need for a while: what was read, and what the runtime makes of it. */
const COPIES = 2;

/** A session on its way, given up when nobody waits for it any more, or there. */
interface Opening {
  session: Promise<TensorSession>;
  abandon: AbortController;
  waiting: number;
  isOver: boolean;
}

/**
 * A graph of a model that is opened when it is first needed, and again after it was unloaded, crashed or lost its device: so
 * what was made of it stays good. Graphs made of one another by changes are open one at a time, as they are large.
 */
export class OnnxGraph implements ModelGraph {
  readonly source: GraphSource;
  /** Of changes that are no weights, as long as somebody has them; those of weights are kept by who asks for them. */
  readonly #changed = new Map<string, WeakRef<OnnxGraph>>();
  #opening: Opening | undefined;
  /** Ends the opening of `prepare`. */
  #ahead: AbortController | undefined;

  constructor(
    private readonly host: Host,
    /** Looked at whenever it is opened. Throws where there is no graph. */
    parts: (files: Files) => Promise<NamedGraphFile[]>,
    /** Those that are opened ahead of their use take turns: two large ones at once would fill the memory. */
    private readonly openMutex: Mutex,
    private readonly from?: { graph: OnnxGraph; changes: readonly GraphChange[] },
  ) {
    this.source = from?.graph.source ?? new OnnxGraphSource(host.files, () => parts(host.files));
    this.#open = from ? from.graph.#open : new Set();
  }

  /** Of those made of one another. */
  readonly #open: Set<OnnxGraph>;

  /** The same graph with one change more. */
  withChange(change: GraphChange): ModelGraph {
    // The changed one will be used.
    if (change.weights || change.insertions) this.cancelPreparing();
    const known = this.#changed.get(change.key)?.deref();
    if (known) return known;
    const changes = [...(this.from?.changes ?? []), change];
    const made = new OnnxGraph(this.host, this.source.parts, this.openMutex, {
      graph: this,
      changes,
    });
    if (change.weights) return made;
    for (const [key, graph] of this.#changed) if (!graph.deref()) this.#changed.delete(key);
    this.#changed.set(change.key, new WeakRef(made));
    return made;
  }

  /** All numbers of a value, as they are when it is open. */
  numbers(value: string, signal: AbortSignal): Promise<Float32Array> {
    return changedNumbers(this.source, this.from?.changes ?? [], value, signal);
  }

  /** Whether a value is another one than in the files. */
  isChanged(value: string): boolean {
    return changesByWeight(this.from?.changes ?? []).has(value);
  }

  /** What makes the weights in its files what they are when it is open. Other changes than of weights are left out. */
  weightEdits(signal: AbortSignal): AsyncIterable<FileEdit> {
    const changes = this.from?.changes ?? [];
    return graphEdits(
      this.source,
      changes.flatMap(({ key, weights }) => (weights ? [{ key, weights }] : [])),
      signal,
    );
  }

  /** It will not be used itself: what was opened ahead of its use is given up. */
  cancelPreparing(): void {
    this.#ahead?.abort();
  }

  async session(signal: AbortSignal): Promise<TensorSession> {
    signal.throwIfAborted();
    this.#opening ??= this.#begin();
    const opening = this.#opening;
    opening.waiting++;
    try {
      return await orAborted(opening.session, signal);
    } finally {
      opening.waiting--;
      if (opening.waiting === 0 && !opening.isOver) {
        if (this.#opening === opening) this.#opening = undefined;
        opening.abandon.abort(signal.reason);
      }
    }
  }

  /**
   * Begins to open it in the background, before it is used: until `signal` aborts, it is unloaded, or it turns out that one
   * made of it by an adapter is used instead. Not where memory is short. Failures are told to who uses it, who tries again.
   */
  prepare(signal: AbortSignal): void {
    if (this.#opening || this.#ahead) return;
    const ahead = new AbortController();
    this.#ahead = ahead;
    const stop = AbortSignal.any([signal, ahead.signal]);
    this.openMutex
      .run(async () => {
        if (await this.#fits()) await this.session(stop);
      }, stop)
      .catch(() => {})
      .finally(() => {
        if (this.#ahead === ahead) this.#ahead = undefined;
      });
  }

  /** Frees its memory, and that of those made of it; the next use opens it again. */
  async unload(): Promise<void> {
    this.#ahead?.abort();
    await Promise.all([...this.#open].map((graph) => graph.#close()));
  }

  async #close(): Promise<void> {
    this.#ahead?.abort();
    this.#open.delete(this);
    const opening = this.#opening;
    this.#opening = undefined;
    await opening?.session.then(
      (session) => session.dispose(),
      () => {},
    );
  }

  /** As far as the platform tells. */
  async #fits(): Promise<boolean> {
    const free = this.host.machine.memoryFree?.();
    if (free === undefined) return true;
    const sizes = (await this.source.parts()).map(({ size }) => size);
    return COPIES * sizes.reduce((sum, size) => sum + size, 0) <= free;
  }

  #begin(): Opening {
    const abandon = new AbortController();
    const session = this.#start(abandon.signal);
    const opening = { session, abandon, waiting: 0, isOver: false };
    const forget = () => {
      opening.isOver = true;
      if (this.#opening !== opening) return;
      this.#opening = undefined;
      this.#open.delete(this);
    };
    session.then((opened) => {
      opening.isOver = true;
      void opened.gone.then(forget);
    }, forget);
    return opening;
  }

  async #start(signal: AbortSignal): Promise<TensorSession> {
    const { tensorEngine } = this.host;
    if (!tensorEngine) throw new Error('this platform cannot run ONNX models');
    await Promise.all([...this.#open].map((other) => other.#close()));
    this.#open.add(this);
    const changes = this.from?.changes ?? [];
    const parts = await this.source.parts();
    const edits = changes.length > 0 && { edits: () => graphEdits(this.source, changes, signal) };
    return tensorEngine.open(parts, { providers: ['webgpu', 'wasm'], ...edits }, signal);
  }
}
