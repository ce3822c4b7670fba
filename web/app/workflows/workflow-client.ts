import type { Fetch } from '../api-client.ts';
import { commonStrings } from '../strings/common.ts';
import type {
  Address,
  Addresses,
  Credential,
  CredentialType,
  Execution,
  ExecutionWithData,
  ExpressionPreview,
  NodeInfo,
  Ports,
  ServerEvent,
  StoredWorkflow,
  WorkflowDraft,
} from './api-types.ts';
import { exportDraft } from './editor/draft.ts';
import { eventsIn } from './event-stream.ts';

/** The issues of a node that prevent the publication of its workflow. */
export interface IssuesOfNode {
  node: string;
  issues: string[];
}

/** Imported workflows, and how each of their nodes runs here. A server of an older version sends no reports. */
export interface ImportAnswer {
  data: StoredWorkflow[];
  reports?: {
    workflowId: string;
    nodes: {
      node: string;
      status: 'runs' | 'differs' | 'incomplete' | 'missing';
      message?: string;
      replacement?: string;
    }[];
  }[];
}

/** An error response of the control API, with the server's message. */
export class ControlApiError extends Error {
  override name = 'ControlFailure';
  constructor(
    message: string,
    readonly status: number,
    /** The nodes that the response names. */
    readonly problems: IssuesOfNode[] = [],
  ) {
    super(message);
  }
}

interface Page<T> {
  data: T[];
  nextCursor: string | null;
}

/**
 * Pages of other sites cannot send this header, so the server requires it. Its value does not matter in a tab, where the
 * page owns the server.
 */
const KEY_HEADERS = { 'x-n8n-api-key': 'this page' };

/** A client of the control API. Methods reject with `ControlApiError`. */
export class WorkflowClient {
  constructor(private readonly fetch: Fetch) {}

  workflows(): Promise<StoredWorkflow[]> {
    return this.#all<StoredWorkflow>('/workflows?limit=250');
  }

  workflow(id: string): Promise<StoredWorkflow> {
    return this.#json('GET', workflowPath(id));
  }

  create(draft: WorkflowDraft): Promise<StoredWorkflow> {
    return this.#json('POST', '/workflows', exportDraft(draft));
  }

  /** Saves a draft. A published workflow answers with the new version at once. */
  save(id: string, draft: WorkflowDraft): Promise<StoredWorkflow> {
    return this.#json('PUT', workflowPath(id), exportDraft(draft));
  }

  /** @param file an exported workflow, or an array of them */
  async import(file: unknown): Promise<StoredWorkflow[]> {
    return (await this.importWithReports(file)).data;
  }

  /** Works like `import`, and also resolves to reports of how each node runs here. */
  importWithReports(file: unknown): Promise<ImportAnswer> {
    return this.#json('POST', '/workflows/import', Array.isArray(file) ? { workflows: file } : file);
  }

  export(id: string): Promise<Record<string, unknown>> {
    return this.#json('GET', `${workflowPath(id)}/export`);
  }

  async delete(id: string): Promise<void> {
    await this.#json('DELETE', workflowPath(id));
  }

  publish(id: string): Promise<StoredWorkflow & { addresses: Address[]; warnings?: string[] }> {
    return this.#json('POST', `${workflowPath(id)}/activate`);
  }

  unpublish(id: string): Promise<StoredWorkflow> {
    return this.#json('POST', `${workflowPath(id)}/deactivate`);
  }

  addresses(id: string): Promise<Addresses> {
    return this.#json('GET', `${workflowPath(id)}/addresses`);
  }

  async listen(id: string): Promise<void> {
    await this.#json('POST', `${workflowPath(id)}/listen`, {});
  }

  async stopListening(id: string): Promise<void> {
    await this.#json('DELETE', `${workflowPath(id)}/listen`);
  }

  /** Starts a manual run. Resolves to its id. */
  async run(id: string, node?: string): Promise<string> {
    const body = node === undefined ? {} : { node };
    return (await this.#json<{ executionId: string }>('POST', `${workflowPath(id)}/run`, body)).executionId;
  }

  /** A page of runs, newest first. */
  executions(options: { workflowId?: string; limit: number; cursor?: string }): Promise<Page<Execution>> {
    const query = new URLSearchParams({ limit: String(options.limit) });
    if (options.workflowId) query.set('workflowId', options.workflowId);
    if (options.cursor) query.set('cursor', options.cursor);
    return this.#json('GET', `/executions?${query}`);
  }

  execution(id: string): Promise<ExecutionWithData> {
    return this.#json('GET', `${executionPath(id)}?includeData=true`);
  }

  async deleteExecution(id: string): Promise<void> {
    await this.#json('DELETE', executionPath(id));
  }

  stopExecution(id: string): Promise<Execution> {
    return this.#json('POST', `${executionPath(id)}/stop`);
  }

  /** Retries a run from its failed node. `now` uses the current workflow instead of that of the run. */
  retry(id: string, now: boolean): Promise<Execution> {
    return this.#json('POST', `${executionPath(id)}/retry`, { loadWorkflow: now });
  }

  /** Runs the current workflow from its start with the input of an earlier run. Resolves to the new run's id. */
  async replay(id: string): Promise<string> {
    return (await this.#json<{ executionId: string }>('POST', `${executionPath(id)}/replay`)).executionId;
  }

  async credentials(): Promise<Credential[]> {
    return (await this.#json<Page<Credential>>('GET', '/credentials')).data;
  }

  /** `oauthRedirectUrl`: where a service sends a login back to. */
  credentialTypes(): Promise<{ data: CredentialType[]; oauthRedirectUrl?: string }> {
    return this.#json('GET', '/credential-types');
  }

  createCredential(name: string, type: string, data: Record<string, string>): Promise<Credential> {
    return this.#json('POST', '/credentials', { name, type, data });
  }

  /** Begins a login: `url` is the page to open. */
  connectCredential(id: string): Promise<{ url?: string; connected?: boolean }> {
    return this.#json('POST', `/credentials/${encodeURIComponent(id)}/connect`);
  }

  async deleteCredential(id: string): Promise<void> {
    await this.#json('DELETE', `/credentials/${encodeURIComponent(id)}`);
  }

  async nodeTypes(): Promise<NodeInfo[]> {
    return (await this.#json<{ data: NodeInfo[] }>('GET', '/node-types')).data;
  }

  async ports(draft: WorkflowDraft): Promise<Ports> {
    return (await this.#json<{ data: Ports }>('POST', '/node-types/ports', { nodes: draft.nodes })).data;
  }

  /** Evaluates expressions of a node with the data of a run. The result has the keys of `values`. */
  async preview(
    draft: WorkflowDraft,
    node: string,
    values: Record<string, string>,
    executionId: string | undefined,
    signal: AbortSignal,
  ): Promise<Record<string, ExpressionPreview>> {
    const body = { workflow: exportDraft(draft), node, values, executionId };
    return (
      await this.#json<{ data: Record<string, ExpressionPreview> }>(
        'POST',
        '/expressions/preview',
        body,
        signal,
      )
    ).data;
  }

  /** Server events until the signal aborts or the connection ends. */
  async *events(signal: AbortSignal): AsyncGenerator<ServerEvent> {
    const response = await this.#request('GET', '/events', undefined, signal);
    yield* eventsIn<ServerEvent>(response.body!);
  }

  async #all<T>(path: string): Promise<T[]> {
    const all: T[] = [];
    for (let cursor = ''; ; ) {
      const { data, nextCursor } = await this.#json<Page<T>>('GET', path + cursor);
      all.push(...data);
      if (!nextCursor) return all;
      cursor = `&cursor=${encodeURIComponent(nextCursor)}`;
    }
  }

  async #json<T>(method: string, path: string, body?: unknown, signal?: AbortSignal): Promise<T> {
    return (await this.#request(method, path, body, signal)).json() as Promise<T>;
  }

  async #request(method: string, path: string, body?: unknown, signal?: AbortSignal): Promise<Response> {
    const response = await this.fetch(`/api/v1${path}`, {
      method,
      headers: body === undefined ? KEY_HEADERS : { ...KEY_HEADERS, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      ...(signal && { signal }),
    });
    return response.ok ? response : throwFailure(response, path);
  }
}

function workflowPath(id: string): string {
  return `/workflows/${encodeURIComponent(id)}`;
}

function executionPath(id: string): string {
  return `/executions/${encodeURIComponent(id)}`;
}

interface Conflict {
  trigger: { name: string };
  conflict: { workflowName: string; method: string; webhookPath: string };
}

async function throwFailure(response: Response, path: string): Promise<never> {
  const text = await response.text();
  let failure: { message?: string; error?: string; issues?: IssuesOfNode[]; hint?: string } = {};
  try {
    failure = JSON.parse(text) as typeof failure;
  } catch {
    // The body is not JSON: its text is the message.
  }
  const message =
    failure.message ?? failure.error ?? (text || commonStrings.failures.status(path, response.status));
  throw new ControlApiError(message, response.status, failure.issues ?? conflictsIn(failure.hint));
}

/** The nodes whose webhook address another workflow has. */
function conflictsIn(hint: string | undefined): IssuesOfNode[] {
  if (hint === undefined) return [];
  try {
    return (JSON.parse(hint) as Conflict[]).map(({ trigger, conflict }) => ({
      node: trigger.name,
      issues: [`${conflict.method} ${conflict.webhookPath}: ${conflict.workflowName}`],
    }));
  } catch {
    return [];
  }
}
