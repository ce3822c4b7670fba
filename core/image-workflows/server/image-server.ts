import type { Host } from '#core/host';
import type { LocalApis } from '#core/http';
import { LocalPlace, onlyPlace } from '../execution/local-place.ts';
import { PromptQueue } from '../execution/prompt-queue.ts';
import { ResultCache } from '../execution/result-cache.ts';
import type { RunServices } from '../execution/run-services.ts';
import { JsonFiles } from '../files/json-files.ts';
import { StoredFiles } from '../files/stored-files.ts';
import type { NodeTypes } from '../graph/node-types.ts';
import { graphsOf } from '../models/graphs/graph-registry.ts';
import { withModelLocations } from '../models/model-files/located-models.ts';
import { removeUnfinished } from '../models/saving/unfinished-saves.ts';
import { nodeTypes } from '../nodes/index.ts';
import type { AnyNode } from '../nodes/kernel/node-type.ts';
import { PeerPrompts } from '../peers/answer-peer.ts';
import { QUEUE_PATH } from '../peers/peer-paths.ts';
import { PeerPlaces } from '../peers/peer-places.ts';
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
  /** Prompts of the other processes of a cluster. */
  readonly peers: PeerPrompts;
  #runnerParts: { services: RunServices; place: LocalPlace } | undefined;
  #services: Promise<PromptServices> | undefined;

  constructor(host: Host, { customNodes = [], languageModels }: ImageServerOptions = {}) {
    this.host = withModelLocations(this.lines.listenTo(host));
    this.types = new Map([...nodeTypes, ...customNodes].map((type) => [type.name, type]));
    this.peers = new PeerPrompts(() => this.#runner().place, host.cluster);
    this.files = new StoredFiles(
      this.host,
      host.cluster && ((prefix, lowest) => this.peers.numberFor(prefix, lowest)),
    );
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

  /** Answers a request of another process of the cluster. */
  async answerPeer(request: Request, url: URL): Promise<Response> {
    if (request.method !== 'GET' || url.pathname !== QUEUE_PATH) return this.peers.answer(request, url);
    const { queue } = await this.ready();
    return Response.json({ waiting: queue.pending.length, running: queue.running.length });
  }

  /** Ends the running prompt and closes the sockets. The next server resumes the prompt. */
  async close(): Promise<void> {
    this.sockets.close();
    await this.uploads.close();
    await this.peers.close();
    const services = await this.#services?.catch(() => undefined);
    await services?.queue.close();
    if (!this.#runnerParts) return;
    await graphsOf(this.host).unload();
    // In a cluster, other processes may be writing there.
    if (!this.host.cluster) await this.host.files.delete('temp');
  }

  async #open(): Promise<PromptServices> {
    const { host } = this;
    // From now on this process has the queue. The former leader is gone, so nobody waits for its prompt.
    void this.peers.close();
    // Previews in `temp` do not outlast the server. After a crash they are still there.
    await host.files.delete('temp');
    await removeUnfinished(host);
    const { services, place } = this.#runner();
    const { cluster, log, clock } = host;
    const places = cluster && new PeerPlaces(place, { cluster, log, now: () => clock.now() });
    const queue = new PromptQueue(services, this.sockets, places ?? onlyPlace(place));
    await queue.ready;
    return { queue };
  }

  /** The parts that run prompts in this process, for its own queue or for that of another process. */
  #runner() {
    this.#runnerParts ??= this.#createRunner();
    return this.#runnerParts;
  }

  #createRunner() {
    const { host, types, files } = this;
    const services: RunServices = {
      host,
      types,
      files,
      cache: new ResultCache(),
      wantsPreviews: host.setting('TABD_IMAGE_PREVIEWS') === 'latent2rgb',
      writesMetadata: host.setting('TABD_IMAGE_METADATA') !== 'off',
      languageModels: this.#languageModels,
    };
    return { services, place: new LocalPlace(services) };
  }
}
