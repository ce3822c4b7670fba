import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Cluster, DownloadConsent, Log, Tracing, WorkMeter } from '#core/host';
import type { Server } from '#core/http';
import {
  createRegistry,
  hearingEngine,
  type ModelRegistry,
  sentenceEngine,
  speakingEngine,
  type TextService,
} from '#core/local-models';
import { createCore } from '#core/server';
import type { WebhookServer } from '#core/webhooks';
import { findAppFolder } from '../app-server/app-folder.ts';
import { gpuFinder } from '../engines/llama/gpus.ts';
import { nodeLlamaCppEngine } from '../engines/llama/node-llama-cpp.ts';
import { nodeTensorEngine } from '../engines/onnx/index.ts';
import { createNodeHost, type NodeHost, type OpenStores } from '../host/node-host.ts';
import type { ModelFolders } from '../model-folders/model-folders.ts';
import { pypiSource } from '../sources/pypi.ts';
import { siteSource } from '../sources/site.ts';

export interface NodeCoreOptions {
  home: string;
  env: NodeJS.ProcessEnv;
  log?: Log;
  consent?: (request: DownloadConsent, signal: AbortSignal) => Promise<boolean>;
  /** Folders of image models outside of the home. */
  modelFolders?: ModelFolders;
  /** Opens the stores of the data. Default: files in the home. */
  openStores?: OpenStores;
  /** The other processes that share the stores. */
  cluster?: Cluster;
  /** Receives finished runs of workflows and prompts. */
  meter?: WorkMeter;
  /** Reports spans of traces. */
  tracing?: Tracing;
  /** Wraps the text service, for example to count tokens. */
  watch?: (text: TextService) => TextService;
}

/** The server of this computer, without ports. */
export interface NodeCore {
  host: NodeHost;
  registry: ModelRegistry;
  server: Server;
  text: TextService;
  webhooks: WebhookServer;
  /** Ends running work and engines, then unlocks the home. */
  close(): Promise<void>;
}

/** Opens the home and creates the server. @throws HomeInUse while another process has locked the home */
export async function openNodeCore(options: NodeCoreOptions): Promise<NodeCore> {
  const gpus = gpuFinder();
  const host = await createNodeHost({
    ...options,
    gpus,
    tensorEngine: (blobs, log, placeOf) =>
      nodeTensorEngine({ pathOf: (digest) => blobs.pathOf(digest), placeOf, gpus, log }),
    languageEngines: (blobs, log, tensors) => [
      nodeLlamaCppEngine({ pathOf: (digest) => blobs.pathOf(digest), log }),
      ...(tensors
        ? [
            hearingEngine({ tensors, blobs, log }),
            speakingEngine({ tensors, blobs, log }),
            sentenceEngine({ tensors, blobs, log }),
          ]
        : []),
    ],
    weightSources: [pypiSource(), siteSource(findAppFolder)],
  });
  const registry = createRegistry(host);
  const { server, textService, webhooks } = createCore(host, registry, {
    wrapTextService: options.watch,
    importModule: (path) => import(/* @vite-ignore */ pathToFileURL(resolve(path)).href),
  });
  return {
    host,
    registry,
    server,
    text: textService,
    webhooks,
    async close() {
      await server.close();
      await host.close();
    },
  };
}
