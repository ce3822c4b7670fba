/**
 * The seam to whatever runs an ONNX graph: embeddings, diffusion. A session lives in a worker (browser) or child process
 * (Node) of its own; its end, wanted or not, touches nothing else. What the numbers mean is the core's business.
 */
import type { FilePath } from './files.ts';
import type { Device, ModelFile } from './language-engine.ts';

/** In `float16` each number is its 16 bits. `bool` is one byte each, 0 or 1. */
export interface TensorData {
  float32: Float32Array;
  float16: Uint16Array;
  int64: BigInt64Array;
  int32: Int32Array;
  int8: Int8Array;
  uint8: Uint8Array;
  bool: Uint8Array;
}
export type TensorType = keyof TensorData;

/** Row-major; the product of `shape` is the length of `data`. */
export type Tensor = {
  [T in TensorType]: { readonly type: T; readonly shape: readonly number[]; readonly data: TensorData[T] };
}[TensorType];

/** An input or output as the graph declares it. */
export interface TensorSlot {
  name: string;
  /** undefined: of a type that cannot be passed here. */
  type: TensorType | undefined;
  /** A name, or undefined, where the size is free. */
  shape: (number | string | undefined)[];
}

/** `webgpu`: a GPU through WebGPU. `wasm`: the CPU. */
export type TensorProvider = 'webgpu' | 'wasm';

export interface TensorOpenOptions {
  /** In order of preference; one that is not here or cannot take the model gives way to the next, with a note. */
  providers: TensorProvider[];
  /** On the CPU; 0 = the engine chooses. */
  threads?: number;
  /**
   * A known answer: the outputs that the feeds must give, each number within `tolerance` (absolute) of what is said. A
   * provider whose answer is another gives way to the next.
   */
  knownAnswer?: { feeds: Record<string, Tensor>; outputs: Record<string, Tensor>; tolerance: number };
  /**
   * Made on the files as they were read; what is stored stays as it is. Adapters of weights, further inputs. Called for each
   * provider that is tried, and read one by one, so that they need not fit into memory together. What it throws, `open` throws.
   */
  edits?(): AsyncIterable<FileEdit>;
}

/** Bytes in place of others. */
export interface FileEdit {
  /** A part as the graph names it; undefined: the graph itself. */
  file: string | undefined;
  /** The size of the file: put after its end. */
  start: number;
  bytes: Uint8Array;
}

export interface TensorSession {
  readonly device: Device;
  readonly inputs: TensorSlot[];
  readonly outputs: TensorSlot[];
  /** Bytes in use, and how many of them on the GPU. */
  readonly memory: { total: number; gpu: number };
  /**
   * One run: outputs by name, all of them or those in `wanted`. Runs of all sessions on one device take turns, first
   * come, first served; aborting `signal` leaves the queue at once, and a run under way is waited for and its outcome
   * dropped. The feeds' memory stays the caller's. Rejects with `EngineCrashed` when the worker or process died,
   * `EngineError` for what the graph refuses, or the signal's reason.
   */
  run(feeds: Record<string, Tensor>, signal: AbortSignal, wanted?: string[]): Promise<Record<string, Tensor>>;
  /** Settles, with the cause, when the session can no longer be used (crash, lost device); never rejects. */
  readonly gone: Promise<Error>;
  /** Ends the worker or process. */
  dispose(): Promise<void>;
}

/** A graph, or its external data, that lies in `Host.files` under a name instead of in the store of blobs. */
export interface NamedGraphFile {
  role: 'weights' | 'part';
  /** As the graph names it: the last part of `path`. */
  name: string;
  size: number;
  path: FilePath;
}
export type GraphFile = ModelFile | NamedGraphFile;

export interface TensorEngine {
  /** `onnxruntime-web`: shown in `/api/ps` and logs. */
  readonly name: string;
  /**
   * Opens a graph: the one file of role `weights`, with the files of role `part` as its external data, by their names.
   * Throws `ModelUnsupported`, `ModelCorrupt`, `OutOfMemory`, `EngineError`, or the signal's reason.
   */
  open(
    files: GraphFile[],
    options: TensorOpenOptions,
    signal: AbortSignal,
    onProgress?: (fraction: number) => void,
  ): Promise<TensorSession>;
}
