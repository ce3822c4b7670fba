/** The registry of installed models: names, manifests, pulls. */
import type { Digest } from '#core/host';
import type { InstalledModel, ModelMetadata, ModelName } from '../base/installed-model.ts';
import type { PullProgress } from './progress.ts';

export interface PullRequest {
  /** As the client spelled it: a name, `hf.co/user/repo[:quant]`, or a URL. */
  model: string;
  insecure: boolean;
  /** `mlc`, `gguf`, `q0f32` or `mlc:q0f32`; without it what runs best on this device. */
  variant?: string;
}

export interface PushRequest {
  /** As the client spelled it. */
  model: string;
  insecure: boolean;
}

/** A model to be made of another, or of files that are stored as blobs. */
export interface CreateRequest {
  /** As the client spelled it. */
  model: string;
  /** Wins over `files`. Pulled when it is not installed. */
  from?: string;
  /** Path -> digest of an uploaded blob. */
  files?: [path: string, digest: Digest][];
  adapters?: [path: string, digest: Digest][];
  quantize?: string;
  template?: string;
  system?: string;
  /** Added to those of `from`. */
  licences: string[];
  /** Merged over those of `from`; any JSON. */
  parameters: Record<string, unknown>;
  /** In place of those of `from`, as they are printed. */
  messages: Record<string, unknown>[];
  renderer?: string;
  parser?: string;
  requires?: string;
  /** `model_family`, `parameter_size`, `quantization_level`, `capabilities` in place of what the file tells. */
  info: Record<string, unknown>;
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
  /**
   * False when there was none. Blobs that no other model uses go with it. Throws ApiError 403 for a model of a folder
   * that is only read.
   */
  delete(name: ModelName): Promise<boolean>;
  /** False when there is no `source`. A model that has the destination's name gives way. */
  copy(source: ModelName, destination: ModelName): Promise<boolean>;
  /** Throws ApiError with the documented status and text. */
  create(request: CreateRequest, signal: AbortSignal): AsyncIterable<PullProgress>;
  /** Uploads what the registry in the name lacks, and the manifest last. Throws ApiError with the documented text. */
  push(request: PushRequest, signal: AbortSignal): AsyncIterable<PullProgress>;
  hasBlob(digest: Digest): Promise<boolean>;
  /**
   * Stores an upload under the digest of its bytes: false when `expected` was there already (nothing is read then).
   * Throws ApiError 400 when the bytes have another digest, 507 when they do not fit.
   */
  storeBlob(expected: Digest, bytes: ReadableStream<Uint8Array>, signal: AbortSignal): Promise<boolean>;
  /**
   * Reads (and caches) the metadata of the model's weights, or of its projector. `arrays`: long arrays too
   * (vocabulary), not cached.
   */
  metadata(
    model: InstalledModel,
    options?: { arrays?: boolean; role?: 'weights' | 'projector' },
  ): Promise<ModelMetadata>;
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
  /**
   * Drops downloads that nobody went on with and uploads that no model was made of, both after two weeks.
   * OLLAMA_NOPRUNE keeps them.
   */
  prune(signal: AbortSignal): Promise<void>;
  /** Stops all pulls and waits until nothing of them runs any more; what they have stays for a later pull. */
  close(): Promise<void>;
}
