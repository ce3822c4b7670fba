import type { EngineLoadMessage } from '../shared/engine-protocol.ts';

/** The model that a worker of web-llm loads. */
export interface MlcLoadMessage extends EngineLoadMessage {
  /** The files of the repository with their paths. */
  files: [path: string, file: Blob][];
  /** The model's compiled code (.wasm). */
  library: Blob;
  /** Tokens of one answer's context. */
  contextLength: number;
}
