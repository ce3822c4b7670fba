import { TABD_VERSION } from '#core/base';
import type { Log } from '#core/host';
import { routeLabel } from '#core/http';
import type { RunStatistics, TextService } from '#core/local-models';
import type { Gate } from '../ports/gate.ts';
import type { PortName } from '../ports/open-ports.ts';
import { Counter, Gauge, Histogram, printFamilies } from './instruments.ts';
import { meteredText } from './metered-text.ts';

/** Seconds: from an answer out of memory to a long generation. */
const DURATIONS = [0.005, 0.02, 0.1, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300];
const NANOSECONDS = 1e9;
/** Methods that are told apart; a client may send any word. */
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

/** What waits and what runs, where this process knows it. */
export interface Load {
  models?: { loaded: number; waiting: number };
  /** Prompts that run or wait. */
  images?: number;
  webhooks?: { running: number; waiting: number };
  /** A tab that answers the ports. */
  tab?: boolean;
}

/** What this process counts of itself, for Prometheus and for the log. */
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
  #running = new Map<PortName, number>();

  constructor(private readonly log?: Pick<Log, 'debug'>) {}

  /** Counts what passes. */
  readonly gate: Gate = (request, { listener }) => {
    const api = listener as PortName;
    const started = performance.now();
    const { method, url } = request;
    const labels = { api, route: routeLabel(api, new URL(url).pathname) };
    this.#running.set(api, (this.#running.get(api) ?? 0) + 1);
    return (status) => {
      const seconds = (performance.now() - started) / 1000;
      this.#running.set(api, this.#running.get(api)! - 1);
      const known = METHODS.includes(method) ? method : 'other';
      this.#requests.add({ ...labels, method: known, status: String(status) });
      // A socket says nothing about how long answers take.
      if (status !== 101) this.#durations.observe(labels, seconds);
      this.log?.debug('request', { ...labels, method: known, status, ms: Math.round(seconds * 1000) });
    };
  };

  /** The same service, with what it reads and writes counted. */
  meter(service: TextService): TextService {
    return meteredText(service, {
      run: (model, statistics) => this.#count(model, statistics),
      embed: (model, promptTokens) => this.#tokens.add({ model, kind: 'prompt' }, promptTokens),
    });
  }

  print(load: Load): string {
    const { models, images, webhooks, tab } = load;
    const memory = process.memoryUsage();
    const one = (value: number | undefined): [Record<string, string>, number | undefined][] => [[{}, value]];
    return printFamilies([
      new Gauge('tabd_info', 'The version that runs.', () => [[{ version: TABD_VERSION }, 1]]),
      this.#requests,
      this.#durations,
      new Gauge('tabd_requests_running', 'Requests being answered now, by API.', () =>
        [...this.#running].map(([api, value]) => [{ api }, value]),
      ),
      this.#tokens,
      this.#tokenTime,
      new Gauge('tabd_models_loaded', 'Models in memory.', () => one(models?.loaded)),
      new Gauge(
        'tabd_queue_length',
        'What waits for its turn: requests for a model, image prompts, webhook calls.',
        () => [
          [{ queue: 'models' }, models?.waiting],
          [{ queue: 'image-workflows' }, images],
          [{ queue: 'webhooks' }, webhooks?.waiting],
        ],
      ),
      new Gauge('tabd_workflows_running', 'Runs of webhook workflows under way.', () =>
        one(webhooks?.running),
      ),
      new Gauge('tabd_tab_connected', '1 while a tab answers the ports.', () =>
        one(tab === undefined ? undefined : Number(tab)),
      ),
      new Gauge('process_resident_memory_bytes', 'Memory of this process, without its engines.', () =>
        one(memory.rss),
      ),
      new Gauge('nodejs_heap_size_used_bytes', 'JavaScript heap in use.', () => one(memory.heapUsed)),
      new Gauge('process_start_time_seconds', 'When this process began, in seconds since 1970.', () =>
        one(Math.round(performance.timeOrigin) / 1000),
      ),
    ]);
  }

  #count(model: string, statistics: RunStatistics): void {
    const { promptEvalCount, promptEvalDuration, evalCount, evalDuration } = statistics;
    this.#tokens.add({ model, kind: 'prompt' }, promptEvalCount);
    this.#tokens.add({ model, kind: 'answer' }, evalCount);
    this.#tokenTime.add({ model, kind: 'prompt' }, promptEvalDuration / NANOSECONDS);
    this.#tokenTime.add({ model, kind: 'answer' }, evalDuration / NANOSECONDS);
  }
}
