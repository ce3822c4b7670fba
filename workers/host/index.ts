import {
  type Digest,
  type DownloadConsent,
  type FilePath,
  type Host,
  type LanguageEngine,
  type Log,
  type PrebuiltModel,
  recordsSchema,
  type TensorEngine,
  type WeightSource,
} from '#core/host';
import { flagSetting } from '#core/settings';
import { browserPython, browserSandbox } from '../sandbox/browser-sandbox.ts';
import type { BrowserBlobs } from './blobs/browser-blobs.ts';
import { CacheBlobs } from './blobs/cache-blobs.ts';
import { hasOpfs, OpfsBlobs } from './blobs/opfs-blobs.ts';
import { tabCapabilities } from './capabilities.ts';
import { browserClock } from './clock.ts';
import { openFiles } from './files/open-files.ts';
import { browserCodecs } from './image-codecs.ts';
import { installationKeys } from './installation-key.ts';
import { consoleLog } from './log.ts';
import { browserMachine } from './machine.ts';
import { browserMedia } from './media-codecs.ts';
import { IdbRecords } from './records/idb-records.ts';

export interface BrowserHostOptions {
  /** The prefix of everything stored, so that sites or tests on one origin stay apart. Default: `tabd`. */
  scope?: string;
  /** Settings by their environment names. Read at every use, so that a change is effective at once. */
  settings?: () => Readonly<Record<string, string>>;
  consent?: (request: DownloadConsent, signal: AbortSignal) => Promise<boolean>;
  weightSources?: WeightSource[];
  /** Models that an engine's package lists. */
  prebuilt?: () => Promise<PrebuiltModel[]>;
  /** Creates the engines, in order of preference. */
  engines?: (
    parts: EngineParts & { blobs: BrowserBlobs; tensors: TensorEngine | undefined },
  ) => LanguageEngine[];
  tensorEngine?: (parts: EngineParts) => TensorEngine;
}

/** The parts of the host that engines use. */
export interface EngineParts {
  fileOf(digest: Digest): Promise<Blob>;
  /** A file of `Host.files`. */
  namedFile(path: FilePath): Promise<Blob>;
  log: Log;
}

/** The host of a browser. It can also open a stored blob as a file. */
export interface BrowserHost extends Host {
  readonly blobs: BrowserBlobs;
  close(): void;
}

/** A host in a dedicated worker, over IndexedDB, the origin private file system (or the Cache API) and `fetch`. */
export async function createBrowserHost(options: BrowserHostOptions = {}): Promise<BrowserHost> {
  const scope = options.scope ?? 'tabd';
  const setting = (name: string) => options.settings?.()[name];
  const log = consoleLog(flagSetting({ setting }, 'OLLAMA_DEBUG'));
  const [records, blobs, files, machine] = await Promise.all([
    IdbRecords.open({ name: scope, schema: recordsSchema }),
    openBlobs(scope, log),
    openFiles(scope, log),
    browserMachine(),
  ]);
  const parts: EngineParts = {
    fileOf: (digest) => blobs.fileOf(digest),
    namedFile: async (path) => {
      const body = await files.body(path);
      return body instanceof Blob ? body : new Response(body).blob();
    },
    log,
  };
  const tensors = options.tensorEngine?.(parts);
  return {
    capabilities: tabCapabilities(machine.runtime),
    records,
    blobs,
    files,
    languageEngines: options.engines?.({ ...parts, blobs, tensors }) ?? [],
    ...(tensors && { tensorEngine: tensors }),
    imageCodecs: browserCodecs,
    mediaCodecs: browserMedia,
    sandbox: browserSandbox,
    python: browserPython,
    network: { fetch: (url, init) => fetch(url as RequestInfo, init as RequestInit) },
    keys: installationKeys(scope),
    clock: browserClock,
    log,
    machine,
    setting,
    // Without a user to ask, nothing large is downloaded.
    consent: options.consent ?? (async () => false),
    weightSources: options.weightSources ?? [],
    ...(options.prebuilt && { prebuilt: options.prebuilt }),
    close: () => records.close(),
  };
}

async function openBlobs(scope: string, log: Log): Promise<BrowserBlobs> {
  if (hasOpfs()) {
    try {
      return await OpfsBlobs.open(scope);
    } catch (error) {
      log.warn('the file system of this site cannot be used; models are kept in its cache', {
        error: String(error),
      });
    }
  }
  return CacheBlobs.open(scope);
}
