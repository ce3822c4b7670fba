/** Starts the run that a call asks for, and answers the call by the node's setting "Respond". */
import { ApiError, earlyResponseHead, jsonResponse, withHeaders } from '#core/http';
import type { ExecutionHandle, StartCall } from '../../engine/executions/start-call.ts';
import type { RunResult } from '../../engine/run/run-result.ts';
import { problem } from '../../errors.ts';
import type { NodeResponse } from '../../node-api/node-response.ts';
import { headerPairs } from '../../nodes/shared/response-headers.ts';
import { corsHeaders, corsRule } from '../cors.ts';
import type { CallParts, ReceivedCall } from '../receive-call.ts';
import type { WebhookCall } from '../webhook-call.ts';
import { parameterOf, settingsOf } from '../webhook-options.ts';
import { lastNodeBody, NothingToReturn } from './last-node-body.ts';
import { LineStream } from './line-stream.ts';
import { type Answer, send } from './send-response.ts';

/** Begins the run, or goes on with the one that waits; `output` of the received call is the caller's to give. */
export type StartRun = (options: Pick<StartCall, 'id' | 'answer' | 'durable'>) => Promise<ExecutionHandle>;

/** Never throws. A run that was started goes on whether its caller stays or not. */
export async function answerCall(
  call: WebhookCall,
  received: ReceivedCall,
  start: StartRun,
  parts: CallParts,
): Promise<Response> {
  const cors = corsHeaders(call.request.headers, corsRule(call, parts.services));
  const answer = new Answering(call, received, start, parts, cors).answer().catch(async (error) => {
    if (error instanceof NotStarted) await received.drop();
    return withHeaders(failure(error, parts), cors);
  });
  const { clock, capabilities } = parts.services.host;
  return earlyResponseHead(() => answer, {
    clock,
    within: capabilities.headWithin,
    contentType: 'application/json; charset=utf-8',
    headers: cors,
  });
}

/** The run could not even begin. */
class NotStarted extends Error {}

class Answering {
  readonly #settings;

  constructor(
    private readonly call: WebhookCall,
    private readonly received: ReceivedCall,
    private readonly startRun: StartRun,
    private readonly parts: CallParts,
    private readonly cors: [string, string][],
  ) {
    this.#settings = settingsOf(call.node, parts.services);
  }

  answer(): Promise<Response> {
    switch (this.#settings.get('responseMode')) {
      case 'lastNode':
        return this.#afterLastNode();
      case 'responseNode':
        return this.#byNode();
      case 'streaming':
        return this.#streaming();
      default:
        return this.#atOnce();
    }
  }

  async #atOnce(): Promise<Response> {
    const handle = await this.#start({ durable: true });
    await handle.accepted;
    const { id } = handle;
    const silent = (await this.#parameter('options.noResponseBody', id)) === true;
    return this.#send(id, {
      status: await this.#status(id),
      headers: await this.#headers(id),
      body: silent ? { kind: 'none' } : await this.#acknowledgement(id),
    });
  }

  async #acknowledgement(id: string): Promise<NodeResponse['body']> {
    const stored = this.#settings.get('options.responseData');
    if (stored === undefined || stored === '') {
      return { kind: 'json', value: { message: 'Workflow was started' } };
    }
    const value = await this.#parameter('options.responseData', id);
    if (value === undefined) throw new Error('the expression of the option "Response Data" gives nothing');
    return { kind: 'json', value };
  }

  async #afterLastNode(): Promise<Response> {
    const handle = await this.#start({});
    const { id } = handle;
    const release = this.parts.files.hold(id);
    try {
      const result = await handle.done;
      if (hasFailed(result)) return errorInWorkflow(this.cors);
      const body = lastNodeBody(result, {
        data: String(await this.#parameter('responseData', id)),
        property: String((await this.#parameter('options.responsePropertyName', id)) ?? ''),
        file: String(await this.#parameter('responseBinaryPropertyName', id)),
      });
      const type = (await this.#parameter('options.responseContentType', id)) ?? '';
      const headers = await this.#headers(id);
      if (type !== '') headers.unshift(['content-type', String(type)]);
      return await this.#send(id, { status: await this.#status(id), headers, body }, release);
    } catch (error) {
      release();
      throw error;
    }
  }

  async #byNode(): Promise<Response> {
    let respond!: (answer: NodeResponse) => void;
    const answered = new Promise<NodeResponse>((resolve) => {
      respond = resolve;
    });
    const handle = await this.#start({ answer: { respond, stream: async () => false } });
    const { id } = handle;
    const release = this.parts.files.hold(id);
    try {
      const first = await Promise.race([answered, handle.done]);
      if ('body' in first) {
        const headers = [...(await this.#headers(id)), ...first.headers];
        return await this.#send(id, { status: first.status ?? 200, headers, body: first.body }, release);
      }
      release();
      if (hasFailed(first)) return errorInWorkflow(this.cors);
      const nobody: Answer = { status: 200, headers: [], body: { kind: 'none' }, fromWorkflow: false };
      return await this.#send(id, nobody);
    } catch (error) {
      release();
      throw error;
    }
  }

  async #streaming(): Promise<Response> {
    const { workflow, request } = this.call;
    const lines = new LineStream(() => this.parts.services.host.clock.now());
    const handle = await this.#start({ answer: lines });
    void handle.done.then((result) => lines.end(result, workflow));
    const headers = new Headers([...this.cors, ...(await this.#headers(handle.id))]);
    headers.set('content-type', 'application/json; charset=utf-8');
    headers.set('cache-control', 'no-cache');
    return new Response(request.method === 'HEAD' ? null : lines.body, { status: 200, headers });
  }

  async #start(options: Parameters<StartRun>[0]): Promise<ExecutionHandle> {
    const { executionId } = this.received;
    try {
      return await this.startRun({ ...(executionId !== undefined && { id: executionId }), ...options });
    } catch (cause) {
      throw new NotStarted('the run could not be started', { cause });
    }
  }

  #send(id: string, answer: Answer, done: () => void = () => {}): Promise<Response> {
    const { settings, services } = this.parts;
    return send(answer, {
      request: this.call.request,
      cors: this.cors,
      sandboxed: settings.sandboxedAnswers,
      open: (binary) => services.binary(id).stream(binary),
      done,
    });
  }

  #parameter(path: string, executionId: string): Promise<unknown> {
    const { signal } = this.call.request;
    return parameterOf(this.call, path, this.parts.services, { executionId, signal });
  }

  async #headers(id: string): Promise<[string, string][]> {
    return headerPairs(await this.#parameter('options.responseHeaders', id));
  }

  async #status(id: string): Promise<number> {
    let code = await this.#parameter('responseCode', id);
    if (code === undefined) {
      code = await this.#parameter('options.responseCode.values.responseCode', id);
      if (code === 'customCode') code = await this.#parameter('options.responseCode.values.customCode', id);
    }
    const status = Number(code ?? 200);
    if (Number.isInteger(status) && status >= 200 && status <= 599) return status;
    throw new Error(`the response code ${JSON.stringify(code)} is not a status between 200 and 599`);
  }
}

function hasFailed({ status }: RunResult): boolean {
  return status === 'error' || status === 'canceled';
}

function errorInWorkflow(cors: [string, string][]): Response {
  return jsonResponse({ message: 'Error in workflow' }, 500, cors);
}

function failure(error: unknown, { services }: CallParts): Response {
  if (error instanceof NothingToReturn) return problem(500, error.message, { code: 0 });
  const cause = error instanceof NotStarted ? error.cause : error;
  if (cause instanceof ApiError) {
    const answer = problem(cause.status, cause.message);
    if (cause.status === 503) answer.headers.set('retry-after', '1');
    return answer;
  }
  services.host.log.warn('webhooks: a call could not be answered', { error: String(cause) });
  return problem(500, 'There was a problem executing the workflow', { code: 0 });
}
