import type { Digest } from '#core/host';
import type { InstalledModel, ModelMetadata, ModelName } from '../base/installed-model.ts';
import type { PullProgress } from './progress.ts';

export interface PullRequest {
  /** In the client's spelling: a name, `hf.co/user/repo[:quant]`, or a URL. */
  model: string;
  /** Whether the registry is asked by http instead of https. */
  insecure: boolean;
  /** `mlc`, `gguf`, `q0f32` or `mlc:q0f32`. Default: the best one for this device. */
  variant?: string;
}

export interface PushRequest {
  /** The model's name, exactly as in the request. */
  model: string;
  /** Whether the registry is asked by http instead of https. */
  insecure: boolean;
}

/** A model to derive from another one, or to create of uploaded files. */
export interface CreateRequest {
  /** The model's name, exactly as in the request. */
  model: string;
  /** The base model, which is pulled unless it is installed. Takes precedence over `files`. */
  from?: string;
  /** Paths with the digests of uploaded blobs. */
  files?: [path: string, digest: Digest][];
  adapters?: [path: string, digest: Digest][];
  quantize?: string;
  template?: string;
  system?: string;
  /** Added to the licences of `from`. */
  licences: string[];
  /** Merged over the parameters of `from`. Any JSON. */
  parameters: Record<string, unknown>;
  /** Messages that replace those of `from`. */
  messages: Record<string, unknown>[];
  renderer?: string;
  parser?: string;
  requires?: string;
  /** Override facts of the files: `model_family`, `parameter_size`, `quantization_level`, `capabilities`. */
  info: Record<string, unknown>;
}

/** The installed models, and the operations that add and delete them. */
export interface ModelRegistry {
  /** @throws ApiError 400 `invalid model name` */
  parse(name: string): ModelName;
  /** The short form of a name: without the default host and namespace, always with the tag. */
  display(name: ModelName): string;
  /** Finds a model by its name in any spelling. Undefined: it is not installed. */
  find(name: ModelName): Promise<InstalledModel | undefined>;
  /** All models, newest first. */
  list(): Promise<InstalledModel[]>;
  /**
   * A number that is another one after every change of an installed model. Undefined: other programs may change the list
   * unnoticed.
   */
  revision(): number | undefined;
  /**
   * Deletes a model with the blobs that no other model uses.
   * @returns false when there is no such model
   * @throws ApiError 403 for a model of a read-only folder
   */
  delete(name: ModelName): Promise<boolean>;
  /** Copies a model, and replaces a model with the new name. Returns false when there is no `source`. */
  copy(source: ModelName, destination: ModelName): Promise<boolean>;
  /** The iterable throws ApiError with Ollama's status and text. */
  create(request: CreateRequest, signal: AbortSignal): AsyncIterable<PullProgress>;
  /**
   * Uploads the layers that the registry of the name lacks, and the manifest last. The iterable throws ApiError with
   * Ollama's text.
   */
  push(request: PushRequest, signal: AbortSignal): AsyncIterable<PullProgress>;
  hasBlob(digest: Digest): Promise<boolean>;
  /**
   * Stores an upload under the digest of its bytes.
   * @returns false when `expected` was stored already; then nothing is read
   * @throws ApiError 400 when the bytes have another digest, 507 when they do not fit
   */
  storeBlob(expected: Digest, bytes: ReadableStream<Uint8Array>, signal: AbortSignal): Promise<boolean>;
  /**
   * The metadata of the model's weights, or of its projector.
   * @param options.arrays whether to read long arrays such as the vocabulary; such results are not cached
   */
  metadata(
    model: InstalledModel,
    options?: { arrays?: boolean; role?: 'weights' | 'projector' },
  ): Promise<ModelMetadata>;
  /**
   * Downloads a model. Callers with equal requests share a download, which stops when the last of them has left; a later
   * pull resumes it. The iterable throws ApiError with Ollama's text.
   */
  pull(request: PullRequest, signal: AbortSignal): AsyncIterable<PullProgress>;
  /**
   * Installs a model of GGUF files of this machine, which a person picked in the page or named on the command line.
   * @param name the empty text: derived from the file, `SmolLM2-135M-Instruct.Q4_1.gguf` -> `SmolLM2-135M-Instruct:Q4_1`
   * @param files one file, or all parts of one that was split, in any order. A projector may be among them
   */
  importFiles(
    name: string,
    files: readonly { name: string; size: number; stream(): ReadableStream<Uint8Array> }[],
    signal: AbortSignal,
  ): AsyncIterable<PullProgress>;
  /** Deletes unfinished downloads and unused uploads after two weeks, unless OLLAMA_NOPRUNE is set. */
  prune(signal: AbortSignal): Promise<void>;
  /** Stops all pulls and waits for their end. A later pull resumes them. */
  close(): Promise<void>;
}
