/** The registry of installed models: names, manifests, pulls. */
import type { Digest } from '../../host/blobs.ts';
import type { ModelFile, ModelFormat } from '../../host/language-engine.ts';
import type { Message, ModelOptions } from '../types.ts';

/** A parsed model reference (ollama.md section 14). */
export interface ModelName {
  host: string;
  namespace: string;
  model: string;
  tag: string;
}

/** GGUF metadata as far as the core needs it; `keyValues` keeps everything for `/api/show`. */
export interface ModelMetadata {
  architecture: string;
  /** `general.file_type` as ollama prints it: `Q4_1`, `Q4_K_M`, `F16`. */
  quantization: string;
  parameterCount: number;
  contextLength: number;
  embeddingLength: number;
  chatTemplate?: string;
  bosToken?: string;
  eosToken?: string;
  addBos: boolean;
  poolingType?: number;
  hasVision: boolean;
  /** Key -> value in file order; 64-bit integers as bigint where they do not fit a number. */
  keyValues: [string, unknown][];
  tensors: { name: string; type: string; shape: number[] }[];
}

export type Capability =
  | 'completion'
  | 'tools'
  | 'insert'
  | 'vision'
  | 'audio'
  | 'embedding'
  | 'thinking'
  | 'image';

/** One installed model, whole: written last, so that seeing it means having it. */
export interface InstalledModel {
  name: ModelName;
  /** sha256 of the manifest, hex without prefix. */
  digest: string;
  /** Sum of all layers, bytes. */
  size: number;
  /** Milliseconds since 1970. */
  modifiedAt: number;
  format: ModelFormat;
  files: ModelFile[];
  /** Layers of text set at create or pull. */
  template?: string;
  system?: string;
  licences: string[];
  parameters: ModelOptions;
  messages: Message[];
  parentModel?: string;
  /** Which source it came from, for people: a URL, a hub repository, a package. */
  origin: string;
  capabilities: Capability[];
}

export interface PullRequest {
  /** As the client spelled it: a name, `hf.co/user/repo[:quant]`, or a URL. */
  model: string;
  insecure: boolean;
}

/** One line of `/api/pull`, as it goes on the wire. */
export interface PullProgress {
  status: string;
  digest?: Digest;
  total?: number;
  completed?: number;
}

export interface ModelRegistry {
  /** Throws ApiError 400 `invalid model name`. */
  parse(name: string): ModelName;
  /** `smollm2:135m`: default host and namespace dropped, tag always shown. */
  display(name: ModelName): string;
  /** Matches case-insensitively per part. undefined = not installed. */
  find(name: ModelName): Promise<InstalledModel | undefined>;
  /** Newest first (whole seconds, stable). */
  list(): Promise<InstalledModel[]>;
  /** False when there was none. Blobs that no other model uses go with it. */
  delete(name: ModelName): Promise<boolean>;
  /** Reads (and caches) the metadata of the model's weights. `arrays`: long arrays too (vocabulary), not cached. */
  metadata(model: InstalledModel, options?: { arrays?: boolean }): Promise<ModelMetadata>;
  /**
   * Downloads a model. Asked for twice, both callers follow one download; it stops when the last caller has left, and
   * a later pull resumes. The iterable throws ApiError with the documented text.
   */
  pull(request: PullRequest, signal: AbortSignal): AsyncIterable<PullProgress>;
  /**
   * Installs a file that is already here (picked in the page, a path in the CLI), verifying that it is a GGUF. An empty
   * `name` is made of the file's: `SmolLM2-135M-Instruct.Q4_1.gguf` -> `SmolLM2-135M-Instruct:Q4_1`.
   */
  importFile(
    name: string,
    file: { name: string; size: number; stream(): ReadableStream<Uint8Array> },
    signal: AbortSignal,
  ): AsyncIterable<PullProgress>;
  /** Stops all pulls and waits until nothing of them runs any more; what they have stays for a later pull. */
  close(): Promise<void>;
}
