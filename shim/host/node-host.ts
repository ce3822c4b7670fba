import { mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import {
  type DownloadConsent,
  type FilePath,
  type Host,
  type LanguageEngine,
  type Log,
  type Machine,
  type RecordsSchema,
  recordsSchema,
  type TensorEngine,
  type WeightSource,
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
import { nodeSandbox } from '../sandbox/sandbox-threads.ts';
import { DiskFiles } from '../storage/disk-files.ts';
import { FileBlobs } from '../storage/file-blobs.ts';
import { MountedFiles } from '../storage/mounted-files.ts';
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
  languageEngines?: (blobs: FileBlobs, log: Log, tensors: TensorEngine | undefined) => LanguageEngine[];
  tensorEngine?: (blobs: FileBlobs, log: Log, placeOf: (path: FilePath) => string) => TensorEngine;
  weightSources?: WeightSource[];
  /** Asks the user before a download. Without it every download is allowed. */
  consent?: (request: DownloadConsent, signal: AbortSignal) => Promise<boolean>;
  /** Folders of image models outside of the home. */
  modelFolders?: ModelFolders;
  /** Lists the GPUs. Default: llama.cpp does. */
  gpus?: Machine['gpus'];
}

export interface NodeHost extends Host {
  readonly blobs: FileBlobs;
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
    const records = new SqliteRecords(join(home, 'records.sqlite'), options.schema ?? recordsSchema);
    const modelsPlace = settingValue(options.env.OLLAMA_MODELS);
    const modelFolder = modelsPlace === undefined ? undefined : new OllamaFolder(modelsPlace);
    const blobs = new FileBlobs(join(home, 'blobs'), modelFolder?.blobs);
    const ownFiles = new DiskFiles(join(home, 'files'));
    await ownFiles.removeUnfinished();
    const files = new MountedFiles(ownFiles, options.modelFolders?.mounts ?? new Map());
    const tensorEngine = options.tensorEngine?.(blobs, log, (path) => files.pathOf(path));
    const openPorts = new Set<number>();
    let closed = false;
    return {
      capabilities: nodeCapabilities,
      home,
      openPorts,
      records,
      blobs,
      files,
      ...(modelFolder && { modelFolder }),
      modelPlaces: options.modelFolders?.places ?? [],
      languageEngines: options.languageEngines?.(blobs, log, tensorEngine) ?? [],
      ...(tensorEngine && { tensorEngine }),
      imageCodecs: nodeCodecs,
      mediaCodecs: nodeMedia(settingValue(options.env.TABD_FFMPEG), ownFiles.unfinishedFolder),
      sandbox: nodeSandbox,
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
        records.close();
        unlock();
      },
    };
  } catch (error) {
    unlock();
    throw error;
  }
}

function isDebugging(env: NodeJS.ProcessEnv): boolean {
  return flagSetting({ setting: (name) => env[name] }, 'OLLAMA_DEBUG');
}
