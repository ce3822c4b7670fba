import type { Host } from '#core/host';
import type { LocalApis } from '#core/http';
import { PromptQueue } from '../execution/prompt-queue.ts';
import { ResultCache } from '../execution/result-cache.ts';
import { JsonFiles } from '../files/json-files.ts';
import { StoredFiles } from '../files/stored-files.ts';
import type { NodeTypes } from '../graph/node-types.ts';
import { graphsOf } from '../models/graphs/graph-registry.ts';
import { withModelLocations } from '../models/model-files/located-models.ts';
import { removeUnfinished } from '../models/saving/unfinished-saves.ts';
import { nodeTypes } from '../nodes/index.ts';
import type { AnyNode } from '../nodes/kernel/node-type.ts';
import { SocketHub } from '../sockets/socket-hub.ts';
import { LogLines } from './log-lines.ts';
import { LogSubscriptions } from './log-subscriptions.ts';
import { ModelUploads } from './model-uploads.ts';
import { NodeDescriptions } from './node-descriptions.ts';

export interface ImageServerOptions {
  /** Nodes in addition to tabd's own. A node replaces the one of the same name. */
  customNodes?: readonly AnyNode[];
  /** The APIs of language models, for the nodes that call them. Undefined: there are none. */
  languageModels?: LocalApis;
}

/** The parts that depend on the stored prompts and history. */
export interface PromptServices {
  queue: PromptQueue;
  cache: ResultCache;
}

/** The parts of the image server that handlers use. */
export class ImageServer {
  readonly sockets = new SocketHub();
  readonly lines = new LogLines();
  readonly logSubscriptions = new LogSubscriptions(this.lines, this.sockets);
  /** The platform, with all models of a kind in one folder and a log that clients can read. */
  readonly host: Host;
  readonly types: NodeTypes;
  readonly files: StoredFiles;
  /** Users and their settings. */
  readonly jsonFiles: JsonFiles;
  readonly descriptions: NodeDescriptions;
  readonly uploads: ModelUploads;
  readonly #languageModels: LocalApis | undefined;
  #services: Promise<PromptServices> | undefined;

  constructor(host: Host, { customNodes = [], languageModels }: ImageServerOptions = {}) {
    this.host = withModelLocations(this.lines.listenTo(host));
    this.types = new Map([...nodeTypes, ...customNodes].map((type) => [type.name, type]));
    this.files = new StoredFiles(this.host);
    this.jsonFiles = new JsonFiles(this.host.files);
    this.descriptions = new NodeDescriptions(this.files);
    this.uploads = new ModelUploads(this.host);
    this.#languageModels = languageModels;
  }

  /** Resolves when the queue and the history of the last server are loaded. Rejects when the records cannot be read. */
  ready(): Promise<PromptServices> {
    this.#services ??= this.#open();
    return this.#services;
  }

  /** Ends the running prompt and closes the sockets. The next server resumes the prompt. */
  async close(): Promise<void> {
    this.sockets.close();
    await this.uploads.close();
    if (!this.#services) return;
    const services = await this.#services.catch(() => undefined);
    await services?.queue.close();
    await graphsOf(this.host).unload();
    await this.host.files.delete('temp');
  }

  async #open(): Promise<PromptServices> {
    const { host, types, files } = this;
    // Previews in `temp` do not outlast the server. After a crash they are still there.
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
    const queue = new PromptQueue(services, this.sockets);
    await queue.ready;
    return { queue, cache };
  }
}
