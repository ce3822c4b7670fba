import { mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import {
  type DownloadConsent,
  type FilePath,
  type Host,
  type LanguageEngine,
  type Log,
  type Machine,
  pathParts,
  type RecordsSchema,
  recordsSchema,
  type TensorEngine,
  type WeightSource,
} from '#core/host';
import { flagSetting } from '#core/settings';
import { finishRestore } from '../backup/finish-restore.ts';
import { settingValue } from '../base/setting-value.ts';
import { gpuFinder } from '../engines/llama/gpus.ts';
import { lockHome } from '../home/home-lock.ts';
import { installationKeys } from '../home/installation-key.ts';
import { nodeMedia } from '../media/media-codecs.ts';
import { nodeNetwork } from '../network/network.ts';
import { nodeSandbox } from '../sandbox/sandbox-threads.ts';
import { DiskFiles } from '../storage/disk-files.ts';
import { FileBlobs } from '../storage/file-blobs.ts';
import { OllamaFolder } from '../storage/ollama-folder.ts';
import { SqliteRecords } from '../storage/sqlite-records.ts';
import { nodeCapabilities } from './capabilities.ts';
import { systemClock } from './clock.ts';
import { nodeCodecs } from './image-codecs.ts';
import { createLog } from './log.ts';
import { describeMachine } from './machine.ts';

export interface NodeHostOptions {
  /** TABD_HOME: the folder that holds everything; created when it is not there. */
  home: string;
  /** Where settings are read from. */
  env: NodeJS.ProcessEnv;
  log?: Log;
  schema?: RecordsSchema;
  /** Called with the blob store once it is there, for engines that open files by path. */
  languageEngines?: (blobs: FileBlobs, log: Log, tensors: TensorEngine | undefined) => LanguageEngine[];
  tensorEngine?: (blobs: FileBlobs, log: Log, placeOf: (path: FilePath) => string) => TensorEngine;
  weightSources?: WeightSource[];
  /** Without it every download is allowed, as nobody can be asked. */
  consent?: (request: DownloadConsent, signal: AbortSignal) => Promise<boolean>;
  /** Without it llama.cpp is asked. */
  gpus?: Machine['gpus'];
}

export interface NodeHost extends Host {
  readonly blobs: FileBlobs;
  readonly home: string;
  /** Closes the records and lets the next process in. Engines are their owner's to dispose. */
  close(): Promise<void>;
}

/** This computer as a platform. Throws `HomeInUse` or `NewerRecords`, having changed nothing. */
export async function createNodeHost(options: NodeHostOptions): Promise<NodeHost> {
  const home = resolve(options.home);
  await mkdir(home, { recursive: true });
  const unlock = lockHome(home);
  try {
    await finishRestore(home);
    const log = options.log ?? createLog({ level: debugging(options.env) ? 'debug' : 'info' });
    const records = new SqliteRecords(join(home, 'records.sqlite'), options.schema ?? recordsSchema);
    const modelsPlace = settingValue(options.env.OLLAMA_MODELS);
    const modelFolder = modelsPlace === undefined ? undefined : new OllamaFolder(modelsPlace);
    const blobs = new FileBlobs(join(home, 'blobs'), modelFolder?.blobs);
    const tensorEngine = options.tensorEngine?.(blobs, log, (path) =>
      join(home, 'files', ...pathParts(path)),
    );
    const files = new DiskFiles(join(home, 'files'));
    await files.removeUnfinished();
    let closed = false;
    return {
      capabilities: nodeCapabilities,
      home,
      records,
      blobs,
      files,
      ...(modelFolder && { modelFolder }),
      languageEngines: options.languageEngines?.(blobs, log, tensorEngine) ?? [],
      ...(tensorEngine && { tensorEngine }),
      imageCodecs: nodeCodecs,
      mediaCodecs: nodeMedia(settingValue(options.env.TABD_FFMPEG), files.unfinished),
      sandbox: nodeSandbox,
      network: nodeNetwork(options.env),
      keys: installationKeys(home, settingValue(options.env.N8N_ENCRYPTION_KEY)),
      clock: systemClock(),
      log,
      machine: describeMachine(options.gpus ?? gpuFinder()),
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

function debugging(env: NodeJS.ProcessEnv): boolean {
  return flagSetting({ setting: (name) => env[name] }, 'OLLAMA_DEBUG');
}
