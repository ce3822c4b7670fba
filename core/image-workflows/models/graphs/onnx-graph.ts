import { type Mutex, orAborted } from '#core/base';
import { type FileEdit, type Files, type Host, type TensorSession, usedBytes } from '#core/host';
import { blockLayout } from '#core/tensors';
import type {
  GraphChange,
  GraphPart,
  GraphSource,
  ModelGraph,
  StoredWeights,
} from '../../values/model-graph.ts';
import { elementCount } from '../../values/tensor.ts';
import { changedNumbers, changesByWeight, graphEdits } from './graph-edits.ts';
import { OnnxGraphSource } from './graph-source.ts';

/** Opening a graph may need its size this many times: the bytes that were read, and the runtime's copy of them. */
const COPIES = 2;

/** Memory for weights that the runtime converts, in sizes of the stored ones: 16 bits become 32, and the stored ones stay. */
const CONVERTED = 4;

/**
 * The share of the free memory that conversions may take. They save a fifth of a step of one prompt at 512 x 512 pixels.
 * Other programs and other models have more use for scarce memory.
 */
const SHARE_FOR_SPEED = 1 / 4;

/** Bytes of weights whose conversion takes little memory and time, also for a network that runs once for a prompt. */
const SMALL = 1e8;

/**
 * Bytes that are used for conversions where the platform does not report its free memory. The memory of WebAssembly is
 * enough for text encoders and autoencoders, whose changed weights then keep 32 bits, and not for larger networks.
 */
const UNREPORTED_MEMORY = 1.2e9;

/**
 * Bytes of weights that the memory of WebAssembly, 4 GiB, can hold next to the results of a network. Used where the
 * platform does not report its free memory.
 */
const WEIGHTS_IN_TAB = 3e9;

/** A session that is opening or open. Opening is aborted when no caller waits for it any more. */
interface Opening {
  session: Promise<TensorSession>;
  abort: AbortController;
  waiting: number;
  isSettled: boolean;
}

/** @see ModelGraph */
export class OnnxGraph implements ModelGraph {
  readonly source: GraphSource;
  /**
   * Copies with changes other than weights, while someone uses them. Copies with changed weights are not listed: their
   * callers hold them.
   */
  readonly #changed = new Map<string, WeakRef<OnnxGraph>>();
  #opening: Opening | undefined;
  /** Ends `prepare`. */
  #preparing: AbortController | undefined;
  /** The open graphs among this one, the one it was derived from, and its copies. They share this set. */
  readonly #open: Set<OnnxGraph>;

  constructor(
    private readonly host: Host,
    /** Called at each opening. Rejects when there is no graph. */
    parts: (files: Files) => Promise<GraphPart[]>,
    /** Graphs are prepared one after another: two large ones at once would fill the memory. */
    private readonly openMutex: Mutex,
    private readonly from?: { graph: OnnxGraph; changes: readonly GraphChange[] },
    stored?: StoredWeights,
  ) {
    this.source = from?.graph.source ?? new OnnxGraphSource(host.files, () => parts(host.files), stored);
    this.#open = from ? from.graph.#open : new Set();
  }

  withChange(change: GraphChange): ModelGraph {
    // The changed copy will be used instead of this graph.
    if (change.weights || change.insertions) this.cancelPreparing();
    const existing = this.#changed.get(change.key)?.deref();
    if (existing) return existing;
    const changes = [...(this.from?.changes ?? []), change];
    const copy = new OnnxGraph(this.host, this.source.parts, this.openMutex, { graph: this, changes });
    if (change.weights) return copy;
    for (const [key, graph] of this.#changed) if (!graph.deref()) this.#changed.delete(key);
    this.#changed.set(change.key, new WeakRef(copy));
    return copy;
  }

  numbers(constant: string, signal: AbortSignal): Promise<Float32Array> {
    return changedNumbers(this.source, this.from?.changes ?? [], constant, signal);
  }

  isChanged(constant: string): boolean {
    return changesByWeight(this.from?.changes ?? []).has(constant);
  }

  weightEdits(signal: AbortSignal): AsyncIterable<FileEdit> {
    const changes = this.from?.changes ?? [];
    return graphEdits(
      this.source,
      changes.flatMap(({ key, weights }) => (weights ? [{ key, weights }] : [])),
      signal,
    );
  }

  cancelPreparing(): void {
    this.#preparing?.abort();
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
      if (opening.waiting === 0 && !opening.isSettled) {
        if (this.#opening === opening) this.#opening = undefined;
        opening.abort.abort(signal.reason);
      }
    }
  }

  /** A failure is not reported here: the next `session` tries again and rejects with it. */
  prepare(signal: AbortSignal): void {
    if (this.#opening || this.#preparing) return;
    const preparing = new AbortController();
    this.#preparing = preparing;
    const stop = AbortSignal.any([signal, preparing.signal]);
    this.openMutex
      .run(async () => {
        if (await this.#fitsInMemory()) await this.session(stop);
      }, stop)
      .catch(() => {})
      .finally(() => {
        if (this.#preparing === preparing) this.#preparing = undefined;
      });
  }

  async unload(): Promise<void> {
    this.#preparing?.abort();
    await Promise.all([...this.#open].map((graph) => graph.#close()));
  }

  async #close(): Promise<void> {
    this.#preparing?.abort();
    this.#open.delete(this);
    const opening = this.#opening;
    this.#opening = undefined;
    await opening?.session.then(
      (session) => session.dispose(),
      () => {},
    );
  }

  #memoryForSpeed(): number {
    const free = this.host.machine.memoryFree?.();
    return free === undefined ? UNREPORTED_MEMORY : SHARE_FOR_SPEED * free;
  }

  /** True as well when the platform does not report its free memory. */
  async #fitsInMemory(): Promise<boolean> {
    const free = this.host.machine.memoryFree?.();
    return free === undefined || COPIES * usedBytes(await this.source.parts()) <= free;
  }

  /** Whether the stored weights fit into memory together with 32-bit floats of the changed ones. */
  async #hasRoomToWiden(parts: readonly GraphPart[], changes: readonly GraphChange[]): Promise<boolean> {
    const byWeight = changesByWeight(changes);
    const { initializers } = await this.source.outline();
    let bytes = usedBytes(parts);
    for (const { name, shape } of initializers) if (byWeight.has(name)) bytes += 4 * elementCount(shape);
    return bytes <= (this.host.machine.memoryFree?.() ?? WEIGHTS_IN_TAB);
  }

  #begin(): Opening {
    const abort = new AbortController();
    const session = this.#start(abort.signal);
    const opening = { session, abort, waiting: 0, isSettled: false };
    const forget = () => {
      opening.isSettled = true;
      if (this.#opening !== opening) return;
      this.#opening = undefined;
      this.#open.delete(this);
    };
    session.then((opened) => {
      opening.isSettled = true;
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
    const keepsStoredWeights =
      parts.some((part) => 'bytes' in part) &&
      (hasBlocks(this.source) ||
        (this.source.stored?.runsOnce === true && usedBytes(parts) > SMALL) ||
        CONVERTED * usedBytes(parts) > this.#memoryForSpeed());
    const widens =
      changes.length > 0 && (!keepsStoredWeights || (await this.#hasRoomToWiden(parts, changes)));
    const edits = changes.length > 0 && { edits: () => graphEdits(this.source, changes, signal, widens) };
    const options = { providers: ['webgpu' as const, 'wasm' as const], keepsStoredWeights, ...edits };
    return tensorEngine.open(parts, options, signal);
  }
}

/**
 * Whether weights are stored in blocks. Floats of all of them take many times the memory of the file. Intermediate
 * results take even more while the runtime computes them in advance.
 */
function hasBlocks({ stored }: GraphSource): boolean {
  for (const { type } of stored?.used.values() ?? []) if (blockLayout(type)) return true;
  return false;
}
