import { mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import {
  type Cluster,
  type DownloadConsent,
  type FilePath,
  type Host,
  type LanguageEngine,
  type Log,
  type Machine,
  type ModelFolder,
  type Records,
  type RecordsSchema,
  recordsSchema,
  type TensorEngine,
  type Tracing,
  type WeightSource,
  type WorkMeter,
} from '#core/host';
import { flagSetting } from '#core/settings';
import { finishRestore } from '../backup/finish-restore.ts';
import { settingValue } from '../base/setting-value.ts';
import { nodeClients } from '../clients/clients.ts';
import { gpuFinder } from '../engines/llama/gpus.ts';
import { lockHome } from '../home/home-lock.ts';
import { installationKeys } from '../home/installation-key.ts';
import { nodeMedia } from '../media/media-codecs.ts';
import type { ModelFolders } from '../model-folders/model-folders.ts';
import { nodeNetwork } from '../network/network.ts';
import { nodePython } from '../sandbox/python-threads.ts';
import { nodeSandbox } from '../sandbox/sandbox-threads.ts';
import { DiskFiles } from '../storage/disk-files.ts';
import { FileBlobs, type LocatedBlobs } from '../storage/file-blobs.ts';
import { type LocatedFiles, MountedFiles } from '../storage/mounted-files.ts';
import { OllamaFolder } from '../storage/ollama-folder.ts';
import { SqliteRecords } from '../storage/sqlite-records.ts';
import { nodeCapabilities } from './capabilities.ts';
import { systemClock } from './clock.ts';
import { nodeCodecs } from './image-codecs.ts';
import { createLog } from './log.ts';
import { describeMachine } from './machine.ts';
import { shellCommands } from './shell-commands.ts';

export interface NodeHostOptions {
  /** The folder of all data. It is created if it is missing. */
  home: string;
  /** The environment with the settings. */
  env: NodeJS.ProcessEnv;
  log?: Log;
  schema?: RecordsSchema;
  /** Creates the engines. They open blobs by path. */
  languageEngines?: (blobs: LocatedBlobs, log: Log, tensors: TensorEngine | undefined) => LanguageEngine[];
  tensorEngine?: (
    blobs: LocatedBlobs,
    log: Log,
    placeOf: (path: FilePath) => string | Promise<string>,
  ) => TensorEngine;
  weightSources?: WeightSource[];
  /** Asks the user before a download. Without it every download is allowed. */
  consent?: (request: DownloadConsent, signal: AbortSignal) => Promise<boolean>;
  /** Folders of image models outside of the home. */
  modelFolders?: ModelFolders;
  /** Lists the GPUs. Default: llama.cpp does. */
  gpus?: Machine['gpus'];
  /** Opens the stores of the data. Default: files in the home. */
  openStores?: OpenStores;
  /** The other processes that share the stores. */
  cluster?: Cluster;
  /** Receives finished runs of workflows and prompts. */
  meter?: WorkMeter;
  /** Reports spans of traces. */
  tracing?: Tracing;
}

/** The data of an installation. `close` ends connections. */
export interface Stores {
  records: Records;
  blobs: LocatedBlobs;
  files: LocatedFiles;
  /** A folder on this computer for incomplete files, which the next start empties. */
  scratch: string;
  modelFolder?: ModelFolder;
  close(): Promise<void> | void;
}

export type OpenStores = (home: string, env: NodeJS.ProcessEnv, schema: RecordsSchema) => Promise<Stores>;

export interface NodeHost extends Host {
  readonly blobs: LocatedBlobs;
  readonly home: string;
  /** The TCP ports at which this process answers. The owner of the listeners keeps the list. */
  readonly openPorts: Set<number>;
  /** Closes the records and unlocks the home. The owner of the engines disposes them. */
  close(): Promise<void>;
}

/** Opens this computer as a platform. Rejects with `HomeInUse` or `NewerRecords` without any change. */
export async function createNodeHost(options: NodeHostOptions): Promise<NodeHost> {
  const home = resolve(options.home);
  await mkdir(home, { recursive: true });
  const unlock = lockHome(home);
  try {
    await finishRestore(home);
    const log = options.log ?? createLog({ level: isDebugging(options.env) ? 'debug' : 'info' });
    const open = options.openStores ?? openHome;
    const stores = await open(home, options.env, options.schema ?? recordsSchema);
    const { records, blobs, modelFolder } = stores;
    const files = new MountedFiles(stores.files, options.modelFolders?.mounts ?? new Map());
    const tensorEngine = options.tensorEngine?.(blobs, log, (path) => files.pathOf(path));
    const openPorts = new Set<number>();
    const python = nodePython();
    let closed = false;
    return {
      capabilities: nodeCapabilities,
      home,
      openPorts,
      records,
      blobs,
      files,
      ...(modelFolder && { modelFolder }),
      ...(options.cluster && { cluster: options.cluster }),
      ...(options.meter && { meter: options.meter }),
      ...(options.tracing && { tracing: options.tracing }),
      modelPlaces: options.modelFolders?.places ?? [],
      languageEngines: options.languageEngines?.(blobs, log, tensorEngine) ?? [],
      ...(tensorEngine && { tensorEngine }),
      imageCodecs: nodeCodecs,
      mediaCodecs: nodeMedia(settingValue(options.env.TABD_FFMPEG), stores.scratch),
      sandbox: nodeSandbox,
      ...(python && { python }),
      network: nodeNetwork(options.env),
      clients: nodeClients,
      commands: shellCommands,
      keys: installationKeys(home, settingValue(options.env.N8N_ENCRYPTION_KEY)),
      clock: systemClock(),
      log,
      machine: { ...describeMachine(options.gpus ?? gpuFinder()), openPorts: () => [...openPorts] },
      setting: (name) => settingValue(options.env[name]),
      consent: async (request, signal) => {
        signal.throwIfAborted();
        return (await options.consent?.(request, signal)) ?? true;
      },
      weightSources: options.weightSources ?? [],
      async close() {
        if (closed) return;
        closed = true;
        await stores.close();
        unlock();
      },
    };
  } catch (error) {
    unlock();
    throw error;
  }
}

/** Opens the data of a home that one process uses. */
export const openHome: OpenStores = async (home, env, schema) => {
  const records = new SqliteRecords(join(home, 'records.sqlite'), schema);
  const modelsPlace = settingValue(env.OLLAMA_MODELS);
  const modelFolder = modelsPlace === undefined ? undefined : new OllamaFolder(modelsPlace);
  const files = new DiskFiles(join(home, 'files'));
  await files.removeUnfinished();
  return {
    records,
    blobs: new FileBlobs(join(home, 'blobs'), modelFolder?.blobs),
    files,
    scratch: files.unfinishedFolder,
    ...(modelFolder && { modelFolder }),
    close: () => records.close(),
  };
};

function isDebugging(env: NodeJS.ProcessEnv): boolean {
  return flagSetting({ setting: (name) => env[name] }, 'OLLAMA_DEBUG');
}
