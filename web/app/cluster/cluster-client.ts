import type { ApiName } from '#core/http';
import { commonStrings } from '../strings/common.ts';

/** A door or a worker, as it describes itself. */
export interface ClusterProcess {
  process: string;
  role: 'door' | 'worker';
  version: string;
  apis: ApiName[];
  /** The only models it answers with. Undefined: any. */
  models?: string[];
  /** The models in its memory. */
  loaded: string[];
  draining?: boolean;
  /** Seconds since its start. */
  uptime: number;
  /** Requests that it answers now. */
  running: number;
  /** The APIs whose single tasks it does. The numbers are of no use here. */
  leads: Partial<Record<ApiName, number>>;
}

/** The work of one kind. `oldest`: seconds for which the first one has waited. */
export interface ClusterQueue {
  name: 'webhooks' | 'image-workflows';
  waiting: number;
  running: number;
  oldest?: number;
}

/** An execution that waits for long, or whose worker died. `startedAt`: milliseconds since 1970. */
export interface StuckExecution {
  id: string;
  workflowName: string;
  state: 'waiting' | 'crashed';
  startedAt: number;
}

export interface ClusterReport {
  processes: ClusterProcess[];
  queues: ClusterQueue[];
  stuck: StuckExecution[];
}

const PATH = '/tabd/cluster';

/** The cluster of the door that serves this page. */
export class ClusterClient {
  /** A key of the control API. A page on the computer of its door needs none. */
  key = '';

  constructor(private readonly ask: typeof fetch = (...call) => fetch(...call)) {}

  /** `absent`: no door serves this page. `locked`: a key is missing, or it is wrong. */
  async report(): Promise<ClusterReport | 'absent' | 'locked'> {
    let response: Response;
    try {
      response = await this.#send('');
    } catch {
      return 'absent';
    }
    if (response.status === 401) return 'locked';
    const body = (await response.json().catch(() => undefined)) as ClusterReport | undefined;
    return response.ok && Array.isArray(body?.processes) ? body : 'absent';
  }

  /** Makes a worker take no new work, or take work again. Rejects with the server's message, as `retry` does. */
  async drain(process: string, isDraining: boolean): Promise<void> {
    await this.#change(`/processes/${encodeURIComponent(process)}`, { drain: isDraining });
  }

  async retry(execution: string): Promise<void> {
    await this.#change(`/executions/${encodeURIComponent(execution)}/retry`, {});
  }

  async #change(path: string, body: object): Promise<void> {
    const response = await this.#send(path, { method: 'POST', body: JSON.stringify(body) });
    if (response.ok) return;
    const { error } = (await response.json().catch(() => ({}))) as { error?: string };
    throw new Error(error ?? commonStrings.failures.status(path, response.status));
  }

  #send(path: string, init: RequestInit = {}): Promise<Response> {
    const headers: Record<string, string> = this.key === '' ? {} : { 'x-n8n-api-key': this.key };
    return this.ask(PATH + path, { ...init, headers });
  }
}
