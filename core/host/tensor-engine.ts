/**
 * The interface to an engine that runs ONNX graphs: embeddings and diffusion. Every session has a worker (browser) or child
 * process (Node) of its own, whose end touches no other session. The core knows what the numbers mean.
 */
import type { FilePath } from './files.ts';
import type { Device, ModelFile } from './language-engine.ts';

/** The arrays that hold each type. `float16`: the 16 bits of each number. `bool`: one byte each, 0 or 1. */
export interface TensorData {
  float32: Float32Array;
  float16: Uint16Array;
  int64: BigInt64Array;
  int32: Int32Array;
  int8: Int8Array;
  uint8: Uint8Array;
  bool: Uint8Array;
}
/** The type of a tensor's numbers. */
export type TensorType = keyof TensorData;

/** Numbers in row-major order. The product of `shape` is the length of `data`. */
export type Tensor = {
  [T in TensorType]: { readonly type: T; readonly shape: readonly number[]; readonly data: TensorData[T] };
}[TensorType];

/** An input or output as the graph declares it. */
export interface TensorSlot {
  name: string;
  /** Undefined: a type that `Tensor` has not. */
  type: TensorType | undefined;
  /** A number is fixed. A name or undefined stands for a size that the feeds choose. */
  shape: (number | string | undefined)[];
}

/** `webgpu`: a GPU through WebGPU. `wasm`: the CPU. */
export type TensorProvider = 'webgpu' | 'wasm';

/** How a graph is opened. */
export interface TensorOpenOptions {
  /** In order of preference. When one is missing or cannot run the graph, the next is tried and `Device.note` says why. */
  providers: TensorProvider[];
  /** Threads on the CPU. 0: the engine chooses. */
  threads?: number;
  /**
   * Whether weights stay in memory as they are stored, and are converted at each use. By default the runtime converts
   * them once: that takes longer to open, and memory for the converted weights.
   */
  keepsStoredWeights?: boolean;
  /** Outputs that runs will keep (`TensorRunOptions.keep`). On a GPU they then stay in its memory, where it can. */
  keeps?: readonly string[];
  /**
   * A test run after the graph opened: the outputs that `feeds` must give, each number within `tolerance` (absolute). A
   * provider with another result is treated as unusable.
   */
  knownAnswer?: { feeds: Record<string, Tensor>; outputs: Record<string, Tensor>; tolerance: number };
  /**
   * Changes to the files as they are read, such as adapters of weights or further graph inputs; stored files stay as they
   * are. Called once for each provider that is tried, and read one by one, so that the edits need not fit into memory
   * together. Its errors are `open`'s errors.
   */
  edits?(): AsyncIterable<FileEdit>;
}

/** Bytes that replace others in a file. */
export interface FileEdit {
  /** A part by its name in the graph, or the name of a new one. Undefined: the graph's own file. */
  file: string | undefined;
  /** The offset of the first replaced byte. An offset equal to the file's size appends. */
  start: number;
  bytes: Uint8Array;
}

/** Options of a run. */
export interface TensorRunOptions {
  /**
   * Outputs that stay in the worker or process, each with the name of an input. Later runs get them as that input, until
   * a run keeps another output under its name. An input in `feeds` comes first.
   */
  keep?: Readonly<Record<string, string>>;
}

/** An open graph. The caller disposes it. */
export interface TensorSession {
  readonly device: Device;
  readonly inputs: TensorSlot[];
  readonly outputs: TensorSlot[];
  /** Bytes in use, and how many of them on the GPU. */
  readonly memory: { total: number; gpu: number };
  /**
   * Runs the graph once. Runs of all sessions on one device follow one another, first come, first served. An aborted run
   * leaves that queue at once; one that has started is finished and its result dropped.
   * Rejects with `EngineCrashed` when the worker or process died, `EngineError` for an error of the graph, or the signal's
   * reason.
   * @param feeds the inputs by name; their memory stays the caller's
   * @param outputNames which outputs to return. Undefined: all
   */
  run(
    feeds: Record<string, Tensor>,
    signal: AbortSignal,
    outputNames?: string[],
    options?: TensorRunOptions,
  ): Promise<Record<string, Tensor>>;
  /** Resolves with the cause when the session cannot be used any more (crash, lost device). Never rejects. */
  readonly gone: Promise<Error>;
  /** Ends the worker or process. Runs that wait or compute reject with `EngineCrashed`. */
  dispose(): Promise<void>;
}

/** A graph, or its external data, that lies in `Host.files` under a name instead of in `Host.blobs`. */
export interface NamedGraphFile {
  role: 'weights' | 'part';
  /** The name in the graph: the last part of `path`. */
  name: string;
  /** Bytes. */
  size: number;
  path: FilePath;
  /** Bytes that the graph reads of a file that other graphs use too. Undefined: all of them. */
  used?: number;
}

/** A graph that was built in memory. Its external data lies in files. */
export interface BuiltGraphFile {
  role: 'weights';
  name: string;
  /** Bytes. */
  size: number;
  bytes: Uint8Array<ArrayBuffer>;
}
/** A file of a graph. */
export type GraphFile = ModelFile | NamedGraphFile | BuiltGraphFile;

/** Bytes that a graph reads of its files. */
export const usedBytes = (files: readonly GraphFile[]): number =>
  files.reduce((sum, file) => sum + (('used' in file && file.used) || file.size), 0);

/** Opens ONNX graphs. */
export interface TensorEngine {
  /** `onnxruntime-web`: shown in `/api/ps` and in logs. */
  readonly name: string;
  /** Bytes that a graph on the CPU can use with its weights. Undefined: as many as the machine has. */
  readonly cpuMemory?: number | undefined;
  /**
   * Opens a graph: the one file of role `weights`, with the files of role `part` as its external data, by their names.
   * Rejects with `ModelUnsupported`, `ModelCorrupt`, `OutOfMemory`, `ProviderUnusable`, `EngineError`, or the signal's reason.
   * @param onProgress how much of the files has been read, 0 to 1
   */
  open(
    files: GraphFile[],
    options: TensorOpenOptions,
    signal: AbortSignal,
    onProgress?: (fraction: number) => void,
  ): Promise<TensorSession>;
}
