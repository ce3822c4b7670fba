import { TABD_VERSION } from '#core/base';
import { FrameServer, socketChannel } from '#core/frames';
import type { Log } from '#core/host';
import type { ApiName, CallContext, Server } from '#core/http';
import { aborted } from '../base/aborted.ts';
import { whenRead } from '../base/when-read.ts';
import type { NodeCore } from '../cli/node-core.ts';
import { DECLINE, TICKET_HEADER } from './call-queue.ts';
import type { ClusterConnection } from './cluster-connection.ts';
import { JobWorker } from './job-worker.ts';
import { copiesToUnload } from './models/memory-budget.ts';
import { RecentModels } from './models/recent-models.ts';
import type { PostgresCluster } from './postgres-cluster.ts';
import type { ProcessInfo } from './presence.ts';
import { searchPause } from './search-pause.ts';

/** Milliseconds between two attempts to lead, and two searches for executions of processes that have ended. */
const LEAD_INTERVAL = 2000;

/** The texts by which a door makes a worker take no new work, and take work again. */
export const DRAIN = 'drain';
export const RESUME = 'resume';
/** Before the name of a model: the leader makes a worker unload it. */
const UNLOAD = 'unload ';

export interface WorkerOptions {
  apis: readonly ApiName[];
  /** Webhook calls at the same time. */
  concurrency: number;
  /** The only models it answers with. Undefined: any. */
  models: string[] | undefined;
  /** Bytes that the models of all workers may take together. Undefined: no limit but those of each worker. */
  modelMemory: number | undefined;
}

/** A worker's description for the other processes, before and after its core is open. */
export class WorkerState {
  core: NodeCore | undefined;
  /** The APIs that it leads, with the numbers of the terms. */
  readonly leads = new Map<ApiName, number>();
  readonly sessions = new Set<FrameServer>();
  /** A worker that is stopping takes no new requests. */
  isStopping = false;
  /** It takes no new work, until an administrator releases it. */
  isDraining = false;

  constructor(
    private readonly process: string,
    private readonly options: WorkerOptions,
  ) {}

  describe(): ProcessInfo {
    const { apis, models } = this.options;
    const loaded = this.core?.text.loaded() ?? [];
    const isOpen = this.core !== undefined && !this.isStopping;
    return {
      process: this.process,
      role: 'worker',
      version: TABD_VERSION,
      apis: isOpen ? [...apis] : [],
      ...(models && { models }),
      ...(this.isDraining && { draining: true }),
      uptime: Math.round(process.uptime()),
      loaded: loaded.map(({ name }) => name),
      copies: loaded.map(({ name, size, expiresAt }) => ({
        ...{ name, size },
        expiresAt: Number.isFinite(expiresAt) ? expiresAt : null,
      })),
      running: [...this.sessions].reduce((sum, { running }) => sum + running, 0),
      leads: isOpen ? Object.fromEntries(this.leads) : {},
    };
  }
}

/** Answers the requests that doors send, with the core of this process. */
export class ClusterWorker {
  readonly #jobs: JobWorker | undefined;
  readonly #timer: NodeJS.Timeout;
  #isLeading = false;
  /** Models that workers were asked to unload lately. Their announcements still have them. */
  readonly #leaving = new RecentModels();
  /** Milliseconds of a monotonic clock. */
  #nextSearch = 0;

  /**
   * @param server answers requests with `core`
   * @param onLost called when another process leads although this one did: this process must end
   */
  constructor(
    private readonly core: NodeCore,
    private readonly server: Server,
    private readonly cluster: PostgresCluster,
    private readonly connection: ClusterConnection,
    private readonly state: WorkerState,
    private readonly options: WorkerOptions,
    private readonly onLost: (cause: Error) => void,
  ) {
    const { log } = core.host;
    connection.sockets.onSession((socket) => {
      const session = new FrameServer(socketChannel(socket), this.#server(), {
        build: TABD_VERSION,
        // Doors are processes of this cluster.
        context: (claimed) => claimed as CallContext,
      });
      state.sessions.add(session);
      void session.gone.then(() => state.sessions.delete(session));
    });
    connection.sockets.onText((text) => {
      if (text === DRAIN || text === RESUME) void this.#drain(text === DRAIN);
      else if (text.startsWith(UNLOAD)) void this.#unload(text.slice(UNLOAD.length));
      else if (text.startsWith(DECLINE)) this.#jobs?.decline(text.slice(DECLINE.length));
    });
    if (options.apis.includes('webhooks'))
      this.#jobs = new JobWorker(connection, {
        concurrency: options.concurrency,
        log,
        run: (execution) => core.webhooks.runQueued(execution),
      });
    this.#timer = setInterval(() => void this.#lead(), LEAD_INTERVAL);
    void this.#lead();
  }

  /** Takes no more work, and lets the running work end until `deadline` aborts. */
  async close(deadline: AbortSignal): Promise<void> {
    this.state.isStopping = true;
    clearInterval(this.#timer);
    await this.connection.presence.update().catch(() => {});
    await Promise.race([this.#jobs?.close().catch(() => {}), aborted(deadline)]);
    while (!deadline.aborted && this.state.describe().running > 0) {
      await Promise.race([aborted(deadline), new Promise((resolve) => setTimeout(resolve, 50))]);
    }
    this.core.webhooks.endEvents();
    await this.core.webhooks.settle(deadline);
    for (const session of this.state.sessions) session.close('this worker is stopping');
  }

  async #drain(isDraining: boolean): Promise<void> {
    const { log } = this.core.host;
    this.state.isDraining = isDraining;
    log.info(isDraining ? 'this worker takes no new work' : 'this worker takes work again');
    try {
      await this.#jobs?.pause(isDraining);
      await this.connection.presence.update();
    } catch (error) {
      log.warn('the queue could not be left or entered', { error: String(error) });
    }
  }

  #server(): Pick<Server, 'fetch' | 'connect'> {
    const { server } = this;
    return {
      fetch: async (request, context) => {
        const ticket = request.headers.get(TICKET_HEADER);
        if (ticket === null || !this.#jobs) return server.fetch(request, context);
        request.headers.delete(TICKET_HEADER);
        return this.#jobs.answer(ticket, async (ended) =>
          whenRead(await server.fetch(request, context), ended),
        );
      },
      connect: (request, context) => server.connect(request, context),
    };
  }

  /** Tries to lead each API, and does the leader's regular work. */
  async #lead(): Promise<void> {
    if (this.#isLeading) return;
    this.#isLeading = true;
    try {
      for (const api of this.options.apis) {
        if (this.state.leads.has(api)) {
          if (!this.cluster.holds(rightOf(api))) throw new LostLead(`another worker leads ${api} now`);
        } else if (await this.#claim(api)) {
          this.core.host.log.info(`this worker leads ${api}`);
          this.#begin(api);
        }
      }
      if (this.state.leads.has('webhooks')) await this.#takeOver();
      if (this.state.leads.has('local-models')) await this.#keepBudget();
    } catch (error) {
      if (error instanceof LostLead) return this.onLost(error);
      this.core.host.log.warn('the leaders of the cluster could not be found', { error: String(error) });
    } finally {
      this.#isLeading = false;
    }
  }

  /** Tries to become the leader of an API. */
  async #claim(api: ApiName): Promise<boolean> {
    const release = await this.cluster.claim(rightOf(api));
    if (!release) return false;
    try {
      this.state.leads.set(api, await this.connection.presence.nextTerm());
      return true;
    } catch (error) {
      await release();
      throw error;
    }
  }

  /** Makes workers unload models, if all models together take more memory than they may. */
  async #keepBudget(): Promise<void> {
    const { modelMemory } = this.options;
    if (modelMemory === undefined) return;
    const { presence, sockets } = this.connection;
    const workers = presence.processes.map((info) => {
      const leaving = this.#leaving.of(info.process);
      return { ...info, copies: info.copies?.filter(({ name }) => !leaving.includes(name)) ?? [] };
    });
    for (const { process, name } of copiesToUnload(workers, modelMemory)) {
      this.core.host.log.info('a model is unloaded for the budget of the cluster', { model: name, process });
      this.#leaving.add(process, name);
      await sockets.sendText(process, UNLOAD + name);
    }
  }

  /** Unloads a model: at once when it is idle, else when its requests have ended. */
  async #unload(model: string): Promise<void> {
    const request = new Request('http://localhost/api/generate', {
      method: 'POST',
      body: JSON.stringify({ model, keep_alive: 0, stream: false }),
    });
    try {
      const response = await this.core.server.fetch(request, ownContext('local-models'));
      if (!response.ok) throw new Error(await response.text());
      await response.body?.cancel();
    } catch (error) {
      this.core.host.log.warn('a model could not be unloaded', { model, error: String(error) });
    }
  }

  async #takeOver(): Promise<void> {
    const begin = performance.now();
    if (begin < this.#nextSearch) return;
    await this.core.webhooks.takeOver();
    const end = performance.now();
    this.#nextSearch = end + searchPause(end - begin);
  }

  /** Starts the single tasks of an API. */
  #begin(api: ApiName): void {
    const { core } = this;
    const failed = (log: Log) => (error: unknown) =>
      log.error(`${api} could not be started`, { error: String(error) });
    if (api === 'webhooks') void core.webhooks.start().catch(failed(core.host.log));
    // The first request makes the API continue the prompts of an earlier leader.
    if (api === 'image-workflows')
      void core.server
        .fetch(new Request('http://localhost/prompt'), ownContext(api))
        .catch(failed(core.host.log));
  }
}

class LostLead extends Error {}

/** The context of a request of this process to itself. */
const ownContext = (listener: ApiName): CallContext => ({
  ...{ listener, loopback: true, clientAddress: '127.0.0.1', appOrigins: [] },
});

const rightOf = (api: ApiName): string => `leader ${api}`;
