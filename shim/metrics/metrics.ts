import { TABD_VERSION } from '#core/base';
import type { Gpu, Log, WorkMeter } from '#core/host';
import { routeLabel } from '#core/http';
import type { RunStatistics, TextService } from '#core/local-models';
import type { PortName } from '../ports/open-ports.ts';
import type { PortGate } from '../ports/port-gate.ts';
import { Counter, Gauge, Histogram, type Labels, printFamilies } from './instruments.ts';
import { meteredText } from './metered-text.ts';

/** Bounds of the durations in seconds, from an immediate answer to a long generation. */
const DURATIONS = [0.005, 0.02, 0.1, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300];
const NANOSECONDS = 1e9;
/** Methods with a label of their own. Clients may send any word, which would create new labels. */
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

/** Waiting and running work, as far as this process knows. */
export interface ServerLoad {
  models?: { loaded: number; waiting: number };
  /** The number of prompts that run or wait. */
  images?: number;
  webhooks?: { running: number; waiting?: number };
  /** Calls and runs that wait in the queue of a cluster. */
  queued?: number;
  /** The workers of a cluster that take new work, by API. */
  workers?: Record<string, number>;
  /** The GPUs of this computer. */
  gpus?: readonly Gpu[];
  /** Whether a tab is connected. Undefined if this process answers the ports. */
  tab?: boolean;
}

/** The metrics of this process, for Prometheus and for the log. */
export class Metrics {
  readonly #requests = new Counter(
    'tabd_requests_total',
    'Requests answered, by API, route, method and status.',
  );
  readonly #durations = new Histogram(
    'tabd_request_duration_seconds',
    'Seconds from the head of a request to the end of its answer.',
    DURATIONS,
  );
  readonly #tokens = new Counter('tabd_tokens_total', 'Tokens read (prompt) and written (answer), by model.');
  readonly #tokenTime = new Counter(
    'tabd_token_seconds_total',
    'Seconds of reading prompts and of writing answers, by model.',
  );
  readonly #waits = new Histogram(
    'tabd_wait_seconds',
    'Seconds from the acceptance of a run or prompt to its begin.',
    DURATIONS,
  );
  readonly #runs = new Histogram(
    'tabd_run_seconds',
    'Seconds from the begin of a run, prompt or answer to its end, by API and outcome.',
    DURATIONS,
  );
  #running = new Map<PortName, number>();
  /** Few, because routes, methods and statuses are. */
  readonly #labels = new Map<string, Labels>();

  constructor(private readonly log?: Pick<Log, 'debug'>) {}

  /** Counts requests to the ports. */
  readonly gate: PortGate = (request, { listener }) => {
    const api = listener as PortName;
    const started = performance.now();
    const { method, url } = request;
    const route = routeLabel(api, new URL(url).pathname);
    this.#running.set(api, (this.#running.get(api) ?? 0) + 1);
    return (status) => {
      const seconds = (performance.now() - started) / 1000;
      this.#running.set(api, this.#running.get(api)! - 1);
      const methodLabel = METHODS.includes(method) ? method : 'other';
      this.#requests.add(this.#labelled({ api, route, method: methodLabel, status: String(status) }));
      // The duration of a WebSocket is no measure of the server's speed.
      if (status !== 101) this.#durations.observe(this.#labelled({ api, route }), seconds);
      this.log?.debug('request', { api, route, method: methodLabel, status, ms: Math.round(seconds * 1000) });
    };
  };

  /** Wraps a service and counts its tokens. */
  meter(service: TextService): TextService {
    return meteredText(service, {
      run: (model, statistics) => this.#count(model, statistics),
      embed: (model, promptTokens) => this.#tokens.add({ model, kind: 'prompt' }, promptTokens),
      hear: (model, answerTokens) => this.#tokens.add({ model, kind: 'answer' }, answerTokens),
      speak: (model, promptTokens) => this.#tokens.add({ model, kind: 'prompt' }, promptTokens),
    });
  }

  /** Measures finished runs of workflows and prompts. */
  readonly work: WorkMeter = ({ api, outcome, waited, ran }) => {
    this.#runs.observe({ api, outcome }, ran);
    if (waited !== undefined) this.#waits.observe({ api }, waited);
  };

  print(load: ServerLoad): string {
    const { models, images, webhooks, queued, workers, gpus = [], tab } = load;
    const memory = process.memoryUsage();
    const single = (value: number | undefined): [Record<string, string>, number | undefined][] => [
      [{}, value],
    ];
    return printFamilies([
      new Gauge('tabd_info', 'The version that runs.', () => [[{ version: TABD_VERSION }, 1]]),
      this.#requests,
      this.#durations,
      new Gauge('tabd_requests_running', 'Requests being answered now, by API.', () =>
        [...this.#running].map(([api, value]) => [{ api }, value]),
      ),
      this.#tokens,
      this.#tokenTime,
      new Gauge('tabd_models_loaded', 'Models in memory.', () => single(models?.loaded)),
      new Gauge(
        'tabd_queue_length',
        'What waits for its turn: requests for a model, image prompts, webhook calls.',
        () => [
          [{ queue: 'models' }, models?.waiting],
          [{ queue: 'image-workflows' }, images],
          [{ queue: 'webhooks' }, queued ?? webhooks?.waiting],
        ],
      ),
      this.#waits,
      this.#runs,
      new Gauge('tabd_workers', 'Workers of the cluster that take new work, by API.', () =>
        Object.entries(workers ?? {}).map(([api, count]) => [{ api }, count]),
      ),
      ...gpuGauges(gpus),
      new Gauge('tabd_workflows_running', 'Runs of webhook workflows under way.', () =>
        single(webhooks?.running),
      ),
      new Gauge('tabd_tab_connected', '1 while a tab answers the ports.', () =>
        single(tab === undefined ? undefined : Number(tab)),
      ),
      new Gauge('process_resident_memory_bytes', 'Memory of this process, without its engines.', () =>
        single(memory.rss),
      ),
      new Gauge('nodejs_heap_size_used_bytes', 'JavaScript heap in use.', () => single(memory.heapUsed)),
      new Gauge('process_start_time_seconds', 'When this process began, in seconds since 1970.', () =>
        single(Math.round(performance.timeOrigin) / 1000),
      ),
    ]);
  }

  /** Equal labels are one object. */
  #labelled(labels: Labels): Labels {
    const { api, route, method, status } = labels;
    const key = `${api} ${route} ${method} ${status}`;
    const earlier = this.#labels.get(key);
    if (earlier) return earlier;
    this.#labels.set(key, labels);
    return labels;
  }

  #count(model: string, statistics: RunStatistics): void {
    const { promptEvalCount, promptEvalDuration, evalCount, evalDuration } = statistics;
    this.#tokens.add({ model, kind: 'prompt' }, promptEvalCount);
    this.#tokens.add({ model, kind: 'answer' }, evalCount);
    this.#tokenTime.add({ model, kind: 'prompt' }, promptEvalDuration / NANOSECONDS);
    this.#tokenTime.add({ model, kind: 'answer' }, evalDuration / NANOSECONDS);
    this.#runs.observe({ api: 'local-models', outcome: 'success' }, statistics.totalDuration / NANOSECONDS);
  }
}

/** Bytes. A GPU that does not report its memory is left out. */
function gpuGauges(gpus: readonly Gpu[]): Gauge[] {
  const values = (read: (gpu: Gpu) => number | undefined) => () =>
    gpus.map((gpu, index): [Labels, number | undefined] => [
      { gpu: String(index), name: gpu.name },
      read(gpu),
    ]);
  return [
    new Gauge(
      'tabd_gpu_memory_bytes',
      'Memory of each GPU.',
      values(({ memoryTotal }) => memoryTotal),
    ),
    new Gauge(
      'tabd_gpu_memory_free_bytes',
      'Free memory of each GPU, up to half a minute old.',
      values(({ memoryFree }) => memoryFree),
    ),
  ];
}
