/**
 * Everything that a platform supplies to the core. A platform is an object of this type; so is a test host. The platform
 * creates its parts and closes them; the core never disposes a host.
 */
import type { Blobs } from './blobs.ts';
import type { HostCapabilities } from './capabilities.ts';
import type { Clients } from './clients.ts';
import type { Cluster } from './cluster.ts';
import type { Files } from './files.ts';
import type { CodecFiles } from './image-codecs.ts';
import type { Keys } from './keys.ts';
import type { LanguageEngine } from './language-engine.ts';
import type { Clock, Log, Machine } from './machine.ts';
import type { MediaCodecs } from './media-codecs.ts';
import type { ModelFolder, ModelPlace, PrebuiltModel, WeightSource } from './model-sources.ts';
import type { Network } from './network.ts';
import type { Records } from './records.ts';
import type { SandboxThreads } from './sandbox.ts';
import type { ShellCommands } from './shell-commands.ts';
import type { TensorEngine } from './tensor-engine.ts';
import type { Tracing } from './tracing.ts';
import type { WorkMeter } from './work-meter.ts';

/** Everything that the core gets from its platform. */
export interface Host {
  readonly capabilities: HostCapabilities;
  readonly records: Records;
  readonly blobs: Blobs;
  /** Ordinary files with names: images that come in and go out, models in folders, data of users. */
  readonly files: Files;
  /** In order of preference among those with the same format. */
  readonly languageEngines: LanguageEngine[];
  /** Runs ONNX graphs: embeddings, diffusion. Undefined: this platform cannot. */
  readonly tensorEngine?: TensorEngine;
  /** The codecs of JPEG and WebP. Undefined: this platform supports only PNG and GIF. */
  readonly imageCodecs?: CodecFiles;
  /** Video, and audio other than WAV, FLAC and Opus. Undefined: this platform has none of them. */
  readonly mediaCodecs?: MediaCodecs;
  /** Runs the JavaScript of workflows. */
  readonly sandbox: SandboxThreads;
  /** Runs the Python of workflows. Undefined: this platform has none. */
  readonly python?: SandboxThreads;
  readonly network: Network;
  /** Connections to servers that do not speak HTTP. Undefined: this platform makes none. */
  readonly clients?: Clients;
  /** Runs commands of the shell. Undefined: this platform has none. */
  readonly commands?: ShellCommands;
  readonly keys: Keys;
  readonly clock: Clock;
  readonly log: Log;
  readonly machine: Machine;
  /**
   * The value of an environment variable in Node, of a stored setting in a tab: `OLLAMA_KEEP_ALIVE`, `HF_TOKEN`, …
   * Undefined: not set. Read at each use, because settings of a tab change while it runs.
   */
  setting(name: string): string | undefined;
  /**
   * Asks the person before a large download; true allows it. A host without a person to ask decides by its settings.
   * Rejects with the signal's reason.
   */
  consent(request: DownloadConsent, signal: AbortSignal): Promise<boolean>;
  /** A folder of another program's models, which is only read. Its models are listed with the installed ones. */
  readonly modelFolder?: ModelFolder;
  /** Further folders with models for image workflows, in the order in which they were named. */
  readonly modelPlaces?: readonly ModelPlace[];
  /** The models that an engine of this platform brings a list of. Rejects when the list cannot be loaded. */
  prebuilt?(): Promise<PrebuiltModel[]>;
  /** The other processes that use the same records. Undefined: there are none. */
  readonly cluster?: Cluster;
  /** Receives finished runs of workflows and prompts. Undefined: nobody measures them. */
  readonly meter?: WorkMeter;
  /** Reports spans of traces. Undefined: nobody collects them. */
  readonly tracing?: Tracing;
  /** Sources of model files that are tried in addition to the hub, in this order. */
  readonly weightSources: WeightSource[];
}

/**
 * A download that needs the user's consent.
 *
 * @example
 * ```ts
 * import type { DownloadConsent } from 'tabd';
 *
 * const question = ({ model, bytes }: DownloadConsent) => `Download ${model} (${Math.round(bytes / 1e6)} MB)?`;
 * console.log(question({ model: 'smollm2:135m', bytes: 270_898_672 })); // Download smollm2:135m (271 MB)?
 * ```
 */
export interface DownloadConsent {
  /** The model's name. */
  model: string;
  bytes: number;
  licence?: string;
}
