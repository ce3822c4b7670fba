import type { Files } from '../../host/files.ts';
import type { Host } from '../../host/host.ts';
import type { NamedGraphFile, TensorSession } from '../../host/tensor-engine.ts';
import { editsOf, type GraphChange } from './graph-changes.ts';
import { GraphSource } from './graph-source.ts';

/**
 * A graph of a model that is opened when it is first needed, and again after it was unloaded, crashed or lost its device: so
 * what was made of it stays good. Graphs made of one another by changes are open one at a time, as they are large.
 */
export class Graph {
  readonly source: GraphSource;
  /** Of changes to what goes in and comes out; changes of weights are kept by who asks for them. */
  readonly #changed = new Map<string, Graph>();
  #opening: Promise<TensorSession> | undefined;

  constructor(
    private readonly host: Host,
    /** Looked at whenever it is opened. Throws where there is no graph. */
    parts: (files: Files) => Promise<NamedGraphFile[]>,
    private readonly from?: { graph: Graph; changes: readonly GraphChange[] },
  ) {
    this.source = from?.graph.source ?? new GraphSource(host.files, () => parts(host.files));
    this.#open = from ? from.graph.#open : new Set();
  }

  /** Of those made of one another. */
  readonly #open: Set<Graph>;

  /** The same graph with one change more. */
  changed(change: GraphChange): Graph {
    const known = this.#changed.get(change.key);
    if (known) return known;
    const changes = [...(this.from?.changes ?? []), change];
    const made = new Graph(this.host, this.source.parts, { graph: this, changes });
    if (!change.weights) this.#changed.set(change.key, made);
    return made;
  }

  session(signal: AbortSignal): Promise<TensorSession> {
    if (this.#opening) return this.#opening;
    const opening = this.#start(signal);
    const forget = () => {
      if (this.#opening !== opening) return;
      this.#opening = undefined;
      this.#open.delete(this);
    };
    this.#opening = opening;
    opening.then((session) => session.gone.then(forget), forget);
    return opening;
  }

  /** Frees its memory, and that of those made of it; the next use opens it again. */
  async unload(): Promise<void> {
    await Promise.all([...this.#open].map((graph) => graph.#close()));
  }

  async #close(): Promise<void> {
    this.#open.delete(this);
    const opening = this.#opening;
    this.#opening = undefined;
    await opening?.then(
      (session) => session.dispose(),
      () => {},
    );
  }

  async #start(signal: AbortSignal): Promise<TensorSession> {
    const { tensorEngine } = this.host;
    if (!tensorEngine) throw new Error('this platform cannot run ONNX models');
    await Promise.all([...this.#open].map((other) => other.#close()));
    this.#open.add(this);
    const changes = this.from?.changes ?? [];
    const edits = changes.length > 0 ? await editsOf(this.source, changes, signal) : [];
    const parts = await this.source.parts();
    return tensorEngine.open(
      parts,
      { providers: ['webgpu', 'wasm'], ...(edits.length > 0 && { edits }) },
      signal,
    );
  }
}
