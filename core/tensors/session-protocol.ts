/**
 * Messages between the host and the worker or process of one ONNX session. The type `F` is a file as the platform hands
 * it over: a `Blob` in a browser, a path in Node.
 *
 * ```
 * host                                     worker or process
 * open  ------------------------------->
 *       <-------------------------------   progress*          reading the files
 *       <-------------------------------   edit-wanted        if `isEdited`: repeated until an edit is undefined
 * edit  ------------------------------->
 *       <-------------------------------   opened | open-failed
 * run   ------------------------------->                      one after the other
 *       <-------------------------------   result | run-failed
 *       <-------------------------------   lost               the session cannot be used any more
 * ```
 */
import type {
  FileEdit,
  SerializedEngineError,
  Tensor,
  TensorProvider,
  TensorRunOptions,
  TensorSlot,
} from '#core/host';

/** Opens the graph of a session. It is the first message. */
export interface OpenMessage<F> {
  type: 'open';
  /** Bytes: the graph was built in memory. */
  graph: F | Uint8Array<ArrayBuffer>;
  /** The external data of the graph, by the names that it uses. `isShared`: the graph uses a part of the file. */
  data: { name: string; size: number; file: F; isShared?: boolean }[];
  /** Whether the host has edits of the files. */
  isEdited: boolean;
  provider: TensorProvider;
  /** Threads on the CPU. 0: the engine chooses. */
  threads: number;
  /** Whether weights stay in memory as they are stored. */
  keepsStoredWeights?: boolean;
  /** Outputs that runs will keep. */
  keeps?: readonly string[];
}

/** A message from the host to the worker or process. */
export type SessionCommand<F> =
  | OpenMessage<F>
  /** Undefined: there are no more edits. */
  | { type: 'edit'; edit: FileEdit | undefined }
  | ({
      type: 'run';
      id: number;
      feeds: Record<string, Tensor>;
      outputNames: string[] | undefined;
    } & TensorRunOptions);

export interface Opened {
  inputs: TensorSlot[];
  outputs: TensorSlot[];
  /** `WebGPU (nvidia, ada)` or `CPU, 2 threads` */
  device: string;
  /** Bytes that opening allocated, where the platform can measure it. */
  memory: number | undefined;
}

/** A message from the worker or process to the host. */
export type SessionReport =
  /** How much of the files has been read, 0 to 1. The first one, with 0, shows that the worker or process lives. */
  | { type: 'progress'; fraction: number }
  | { type: 'edit-wanted' }
  | { type: 'opened'; opened: Opened }
  | { type: 'open-failed'; failure: SerializedEngineError }
  | { type: 'result'; id: number; outputs: Record<string, Tensor> }
  | { type: 'run-failed'; id: number; failure: SerializedEngineError }
  | { type: 'lost'; message: string };
