/** What a host and the worker or process of one ONNX session say to each other. `F`: how a file is handed over. */
import type { FileEdit, Tensor, TensorProvider, TensorSlot } from '#core/host';

export interface OpenMessage<F> {
  type: 'open';
  /** The graph, and its external data by the names that it uses. */
  graph: F;
  data: { name: string; size: number; file: F }[];
  /** Edits are asked for one by one once the files are read. */
  isEdited: boolean;
  provider: TensorProvider;
  /** 0 = the engine chooses. */
  threads: number;
}

export type SessionCommand<F> =
  | OpenMessage<F>
  /** undefined: there are no more. */
  | { type: 'edit'; edit: FileEdit | undefined }
  | { type: 'run'; id: number; feeds: Record<string, Tensor>; wanted: string[] | undefined };

export interface Opened {
  inputs: TensorSlot[];
  outputs: TensorSlot[];
  /** `WebGPU (nvidia, ada)` or `CPU, 2 threads` */
  device: string;
  /** Bytes that opening took, where that can be measured. */
  memory: number | undefined;
}

export interface TensorFailure {
  /** `device`: this provider cannot be used here; another one may. `request`: only this run. */
  kind: 'device' | 'corrupt' | 'unsupported' | 'memory' | 'request';
  message: string;
}

export type SessionReport =
  /** What was read of the files, 0 to 1. Sent at once, too: the worker or process lives. */
  | { type: 'progress'; fraction: number }
  | { type: 'edit-wanted' }
  | { type: 'opened'; opened: Opened }
  | { type: 'open-failed'; failure: TensorFailure }
  | { type: 'result'; id: number; outputs: Record<string, Tensor> }
  | { type: 'run-failed'; id: number; failure: TensorFailure }
  /** The session can no longer be used: the runtime broke or the GPU was lost. */
  | { type: 'lost'; message: string };
