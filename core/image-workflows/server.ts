/** The parts of document 2's server, as its routes see them. */
import type { Host } from '#core/host';
import type { LocalApis } from '#core/http';
import { PromptQueue } from './execution/prompt-queue.ts';
import { ResultCache } from './execution/result-cache.ts';
import { StoredFiles } from './files/stored-files.ts';
import type { NodeTypes } from './graph/validate.ts';
import { LogLines } from './log-lines.ts';
import { graphsOf } from './models/graphs/graph-registry.ts';
import { withSavedModels } from './models/model-files/saved-models.ts';
import { removeUnfinished } from './models/saving/unfinished-saves.ts';
import { nodeTypes } from './nodes/index.ts';
import type { AnyNode } from './nodes/kernel/node-type.ts';
import { SocketHub } from './sockets/socket-hub.ts';

export interface ImageServerOptions {
  /** Beside tabd's own; one of a name that there is already takes its place. */
  nodes?: readonly AnyNode[];
  /** For the nodes that ask them. */
  languageModels?: LocalApis;
}

export interface ReadyServices {
  host: Host;
  types: NodeTypes;
  files: StoredFiles;
  cache: ResultCache;
  queue: PromptQueue;
  sockets: SocketHub;
}

export class ImageServer {
  readonly sockets = new SocketHub();
  /** Of the log, for clients that show it. */
  readonly lines = new LogLines();
  readonly host: Host;
  readonly types: NodeTypes;
  readonly files: StoredFiles;
  #parts: Promise<ReadyServices> | undefined;

  readonly #languageModels: LocalApis | undefined;

  constructor(host: Host, { nodes = [], languageModels }: ImageServerOptions = {}) {
    this.host = withSavedModels(this.lines.listenTo(host));
    this.types = new Map([...nodeTypes, ...nodes].map((type) => [type.name, type]));
    this.#languageModels = languageModels;
    this.files = new StoredFiles(this.host);
  }

  /** Everything, once the queue and history of the last server are back. */
  ready(): Promise<ReadyServices> {
    this.#parts ??= this.#open();
    return this.#parts;
  }

  /** Ends what runs; the next server goes on with it. */
  async close(): Promise<void> {
    this.sockets.close();
    if (!this.#parts) return;
    const parts = await this.#parts.catch(() => undefined);
    await parts?.queue.close();
    await graphsOf(this.host).unload();
    await this.host.files.delete('temp');
  }

  async #open(): Promise<ReadyServices> {
    const { host, types, files, sockets } = this;
    // What was only shown is not kept from one run of the server to the next.
    await host.files.delete('temp');
    await removeUnfinished(host);
    const cache = new ResultCache();
    const services = {
      host,
      types,
      files,
      cache,
      wantsPreviews: host.setting('TABD_IMAGE_PREVIEWS') === 'latent2rgb',
      writesMetadata: host.setting('TABD_IMAGE_METADATA') !== 'off',
      languageModels: this.#languageModels,
    };
    const queue = new PromptQueue(services, sockets);
    await queue.ready;
    return { host, types, files, cache, queue, sockets };
  }
}
