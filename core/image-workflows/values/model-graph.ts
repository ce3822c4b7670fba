/** The ONNX graph of a model part, with changes that are applied as it opens. The files themselves never change. */
import type { BuiltGraphFile, FileEdit, FilePath, Files, NamedGraphFile, TensorSession } from '#core/host';
import type { OnnxInitializer, OnnxNode, OnnxOutline, ProtobufField, StoredTensor } from '#core/tensors';

/** A JSON document, such as a `config.json`. */
export type JsonConfig = Record<string, unknown>;

export interface GraphChange {
  /** Changes with equal keys are interchangeable. */
  readonly key: string;
  readonly weights?: readonly WeightChange[];
  /** Bytes written over those of the graph's file. */
  readonly edits?: readonly Omit<FileEdit, 'file'>[];
  /** Additional inputs, outputs and constants: fields of the GraphProto. */
  readonly fields?: readonly ProtobufField[];
  /** Additional nodes between those of the graph. */
  readonly insertions?: readonly GraphInsertion[];
}

export interface WeightChange {
  /** A constant as `constantsOf` names it. Its elements are floats. */
  readonly name: string;
  /** Changes the numbers in place. Rejects with the signal's reason. */
  change(numbers: Float32Array, signal: AbortSignal): Promise<void>;
}

/** Nodes that replace a value of the graph with a function of it. */
export interface GraphInsertion {
  /** After the node that computes a value, for all its consumers; or before one input of one node. */
  readonly at: { readonly value: string } | { readonly node: OnnxNode; readonly input: number };
  /** Nodes and constants that compute `to` from `from`. The names of intermediate values begin with `to`. */
  parts(from: string, to: string): readonly ProtobufField[];
}

/** A file of a graph: stored, or built in memory. */
export type GraphPart = NamedGraphFile | BuiltGraphFile;

/** The weights of a graph that was built over files of weights. */
export interface StoredWeights {
  readonly files: readonly { readonly name: string; readonly path: FilePath }[];
  /** All tensors of the files, by their names there. */
  readonly table: ReadonlyMap<string, StoredTensor>;
  /** Those that the graph may use, by its own names for them. */
  readonly used: ReadonlyMap<string, StoredTensor>;
  /** Whether the network runs once for a prompt, and not at each step of a sampler. */
  readonly runsOnce?: boolean;
}

/** The files of a graph and their contents. */
export interface GraphSource {
  readonly files: Files;
  /** Lists the files anew at each call. Rejects when there is no graph. */
  readonly parts: () => Promise<GraphPart[]>;
  /** Undefined: the graph was exported, with weights of its own. */
  readonly stored?: StoredWeights | undefined;
  /** Read again when the file has changed. Rejects with `ModelCorrupt`. */
  outline(): Promise<OnnxOutline>;
  /** All elements of a weight. Rejects when they are not floats or cannot be read. */
  numbers(name: string): Promise<{ initializer: OnnxInitializer; numbers: Float32Array }>;
  initializer(name: string): Promise<OnnxInitializer>;
  /** The elements [start, end) along the first axis. */
  rows(initializer: OnnxInitializer, start: number, end: number): Promise<Float32Array>;
}

/**
 * A graph that opens when it is first used, and again after it was unloaded, crashed or lost its device. Results that
 * hold a graph therefore stay usable. A graph and its changed copies share one place in memory: one is open at a time.
 */
export interface ModelGraph {
  readonly source: GraphSource;
  /** The graph with one more change. */
  withChange(change: GraphChange): ModelGraph;
  /** All elements of a constant, with the changes applied. */
  numbers(constant: string, signal: AbortSignal): Promise<Float32Array>;
  /** Whether a change replaces the stored elements of a constant. */
  isChanged(constant: string): boolean;
  /** Byte edits that apply the weight changes to the graph's files. Other changes are left out. */
  weightEdits(signal: AbortSignal): AsyncIterable<FileEdit>;
  /** Opens the graph or returns the open session. Rejects with the engine's error or the signal's reason. */
  session(signal: AbortSignal): Promise<TensorSession>;
  /** Starts to open the graph in the background, unless memory is short. `signal` cancels that. Never throws. */
  prepare(signal: AbortSignal): void;
  /** Stops `prepare`: the graph itself will not be used. */
  cancelPreparing(): void;
  /** Frees the memory of the graph and of its changed copies. The next use opens them again. */
  unload(): Promise<void>;
}
