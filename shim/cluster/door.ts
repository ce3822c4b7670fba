import { type HeaderList, NotAccepted } from '#core/frames';
import { type Tracing, traced } from '#core/host';
import {
  type ApiName,
  apiOfContext,
  type CallContext,
  type Server,
  unavailableResponse,
  type WebSocketSession,
} from '#core/http';
import { BodyStarts } from '../forwarding/body-start.ts';
import { connectThrough } from '../forwarding/connect-through.ts';
import { headerList } from '../forwarding/outgoing-request.ts';
import { CallKinds } from './call-kinds.ts';
import { CallQueue, TICKET_HEADER } from './call-queue.ts';
import type { ClusterConnection } from './cluster-connection.ts';
import { JobQueue } from './job-queue.ts';
import { KeptPrefixes, prefixHashes } from './models/kept-prefixes.ts';
import { RecentModels } from './models/recent-models.ts';
import { mergeRunningModels, type RunningModel } from './models/running-models.ts';
import { ClusterOverview } from './overview.ts';
import { Peers } from './peers.ts';
import type { ProcessInfo } from './presence.ts';
import { refusalText } from './refusal-text.ts';
import { requestTarget, workerFor } from './request-target.ts';

/** Bytes of a body in which the name of its model is looked for. */
const SEARCHED_BYTES = 64 * 1024;
/** Seconds after which a client may try again. */
const RETRY_AFTER = 5;

/** A front door without state: it passes requests to workers, over Redis. */
export class Door implements Server {
  readonly #jobs: JobQueue;
  /** For people: what runs, and where. */
  readonly overview: ClusterOverview;
  readonly #queue: CallQueue;
  readonly #peers: Peers;
  readonly #kinds: CallKinds;
  readonly #recent = new RecentModels();
  readonly #prefixes = new KeptPrefixes();
  readonly #bodies = new BodyStarts(SEARCHED_BYTES);

  /** @param callPrefixes the first parts of the addresses of published webhooks */
  constructor(
    private readonly cluster: ClusterConnection,
    private readonly callPrefixes: readonly string[],
    private readonly tracing?: Tracing,
  ) {
    this.#jobs = new JobQueue(cluster);
    this.#queue = new CallQueue(cluster, this.#jobs);
    this.#peers = new Peers(cluster.sockets);
    this.#kinds = new CallKinds(this.#peers);
    this.overview = new ClusterOverview(cluster, this.#jobs, this.#peers);
  }

  async fetch(request: Request, context: CallContext): Promise<Response> {
    const api = apiOfContext(context);
    const target = requestTarget(api, request.method, new URL(request.url).pathname, this.callPrefixes);
    try {
      switch (target.kind) {
        case 'queue':
          return await this.#queued(request, context);
        case 'leader':
          return await this.#send(this.#leader(api), request, context);
        case 'all':
          return await this.#merged(request, context, api);
        case 'any':
          return await this.#send(this.#someWorker(api, undefined), request, context);
        case 'model':
          return await this.#toModel(request, context, api);
      }
    } catch (cause) {
      request.signal.throwIfAborted();
      return unavailable(api, request, cause);
    }
  }

  async connect(request: Request, context: CallContext): Promise<WebSocketSession | Response> {
    const api = apiOfContext(context);
    try {
      return await connectThrough(this.#peers.client(this.#leader(api).process), request, context);
    } catch (cause) {
      return unavailable(api, request, cause);
    }
  }

  /** How many calls and runs wait for a worker. */
  waiting(): Promise<number> {
    return this.#jobs.length();
  }

  async close(): Promise<void> {
    this.#peers.close('this door is closing');
    await this.#jobs.close();
  }

  /**
   * A call whose caller waits for the run waits in the queue until a worker has room. One whose worker does not take it up is
   * queued again. The other calls are answered at once, by any worker.
   */
  async #queued(request: Request, context: CallContext): Promise<Response> {
    for (let attempt = 1; ; attempt++) {
      const { process } = this.#someWorker('webhooks', undefined);
      try {
        if (await this.#kinds.isAtOnce(request, process))
          return await this.#sendTo(process, request, context);
        const { worker, ticket } = await traced(this.tracing, 'wait in the queue', {}, () =>
          this.#queue.take(request.signal),
        );
        try {
          return await this.#sendTo(worker, request, context, ticket);
        } catch (cause) {
          this.#queue.decline(worker, ticket);
          throw cause;
        }
      } catch (cause) {
        if (!(cause instanceof NotAccepted) || attempt === 3) throw cause;
      }
    }
  }

  #leader(api: ApiName): ProcessInfo {
    const leader = this.cluster.presence.leader(api);
    if (!leader) throw new Error(`no worker runs that answers ${api}`);
    return leader;
  }

  #someWorker(api: ApiName, model: string | undefined, keeper?: string): ProcessInfo {
    const announced = this.cluster.presence.workers(api);
    const sound = announced.filter(({ process }) => !this.#peers.isSuspect(process));
    const workers = (sound.length > 0 ? sound : announced).map((info) => ({
      ...info,
      loaded: [...info.loaded, ...this.#recent.of(info.process)],
      running: Math.max(info.running, this.#peers.running(info.process)),
    }));
    const worker = workerFor(workers, model, keeper);
    if (worker) return worker;
    throw new Error(
      workers.length > 0
        ? `no worker may answer with the model ${model}`
        : `no worker runs that answers ${api}`,
    );
  }

  async #toModel(request: Request, context: CallContext, api: ApiName): Promise<Response> {
    const start = request.body && (await this.#bodies.read(request.body, 'model'));
    try {
      const hashes = prefixHashes(start?.start ?? []);
      const { process } = this.#someWorker(api, start?.field, this.#prefixes.workerOf(hashes));
      this.#prefixes.add(hashes, process);
      const count = () => start?.field !== undefined && this.#recent.add(process, start.field);
      count();
      const response = await this.#sendTo(process, request, context, undefined, start?.body);
      // Loading may have taken longer than a model counts.
      count();
      return response;
    } finally {
      start?.release();
    }
  }

  #send(worker: ProcessInfo, request: Request, context: CallContext): Promise<Response> {
    return this.#sendTo(worker.process, request, context);
  }

  #sendTo(
    worker: string,
    request: Request,
    context: CallContext,
    ticket?: string,
    body: ReadableStream<Uint8Array> | null = request.body,
  ): Promise<Response> {
    const headers = headerList(request.headers).filter(([name]) => name !== TICKET_HEADER);
    if (ticket !== undefined) headers.push([TICKET_HEADER, ticket]);
    const span = { side: 'client', attributes: { 'tabd.worker': worker } } as const;
    return traced(this.tracing, 'send to a worker', span, async () => {
      const trace = this.tracing?.current();
      const sent = trace === undefined ? headers : withTrace(headers, trace);
      return this.#peers.fetch(worker, { request, context, headers: sent, body });
    });
  }

  /** The lists of all workers in one. */
  async #merged(request: Request, context: CallContext, api: ApiName): Promise<Response> {
    const workers = this.cluster.presence.workers(api);
    if (workers.length === 0) throw new Error(`no worker runs that answers ${api}`);
    const answers = await Promise.allSettled(workers.map((worker) => this.#send(worker, request, context)));
    const arrived = answers.flatMap((answer) => (answer.status === 'fulfilled' ? [answer.value] : []));
    if (arrived.length === 0) throw (answers[0] as PromiseRejectedResult).reason;
    const refusal = arrived.find(({ ok }) => !ok);
    if (refusal) {
      for (const other of arrived) if (other !== refusal) void other.body?.cancel().catch(() => {});
      return refusal;
    }
    const lists = await Promise.all(
      arrived.map((answer) => answer.json() as Promise<{ models: RunningModel[] }>),
    );
    const headers = new Headers(arrived[0]!.headers);
    headers.delete('content-length');
    return new Response(JSON.stringify({ models: mergeRunningModels(lists.map(({ models }) => models)) }), {
      headers,
    });
  }
}

/** The headers with another trace than that of the client, whose span is the door's parent. */
const withTrace = (headers: HeaderList, trace: string): HeaderList => [
  ...headers.filter(([name]) => name !== 'traceparent'),
  ['traceparent', trace],
];

function unavailable(api: ApiName, request: Request, cause: unknown): Response {
  const { pathname } = new URL(request.url);
  return unavailableResponse(api, pathname, refusalText(cause), {
    retryAfter: RETRY_AFTER,
    servedBy: 'node',
  });
}
