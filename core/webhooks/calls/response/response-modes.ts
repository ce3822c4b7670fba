/** The four ways to respond, by the node's setting "Respond". */
import { Deferred } from '#core/base';
import { jsonResponse } from '#core/http';
import type { Engine } from '../../engine/engine.ts';
import type { ExecutionHandle, StartCall } from '../../engine/executions/start-call.ts';
import type { RunResult } from '../../engine/run/run-result.ts';
import type { NodeResponse } from '../../node-api/node-response.ts';
import { callExpressions, type Evaluate } from '../call-expressions.ts';
import type { WebhookCall } from '../webhook-call.ts';
import { lastNodeBody } from './last-node-body.ts';
import { LineStream } from './line-stream.ts';
import { acknowledgement, responseHeaders, responseStatus } from './response-options.ts';
import { sendResponse, type WorkflowResponse } from './send-response.ts';

interface ResponseMode {
  /** The mode's part of the start of the execution. */
  start: Pick<StartCall, 'responseSink' | 'durable' | 'anywhere'>;
  respond(execution: ExecutionHandle): Promise<Response>;
}

type CreateMode = (call: WebhookCall, engine: Engine) => ResponseMode;

const MODES: Record<string, CreateMode> = {
  onReceived: immediately,
  lastNode: whenLastNodeFinishes,
  responseNode: byRespondToWebhook,
  streaming,
};

/** An unknown mode responds immediately. */
export const responseMode: CreateMode = (call, engine) => {
  const name = String(call.options.responseMode);
  const create = Object.hasOwn(MODES, name) ? MODES[name]! : immediately;
  return create(call, engine);
};

function immediately(call: WebhookCall, engine: Engine): ResponseMode {
  return {
    start: { durable: true, anywhere: true },
    async respond({ id, accepted }) {
      await accepted;
      const evaluate = expressionsIn(id, call, engine);
      const { response } = call.options;
      const hasBody = (await evaluate(response.noBody)) !== true;
      return send(call, engine, id, {
        status: await responseStatus(response, evaluate),
        headers: await responseHeaders(response, evaluate),
        body: hasBody ? await acknowledgement(response, evaluate) : { kind: 'none' },
      });
    },
  };
}

function whenLastNodeFinishes(call: WebhookCall, engine: Engine): ResponseMode {
  return {
    start: {},
    respond: ({ id, done }) =>
      holdingFiles(id, engine, async (release) => {
        const result = await done;
        if (hasFailed(result)) {
          release();
          return failedWorkflow(result, call);
        }
        const evaluate = expressionsIn(id, call, engine);
        const { response } = call.options;
        const { data, property, file } = response.lastNode;
        const body = lastNodeBody(result, {
          data: String(await evaluate(data)),
          property: String((await evaluate(property)) ?? ''),
          file: String(await evaluate(file)),
        });
        const type = (await evaluate(response.contentType)) ?? '';
        const headers = await responseHeaders(response, evaluate);
        if (type !== '') headers.unshift(['content-type', String(type)]);
        const status = await responseStatus(response, evaluate);
        return send(call, engine, id, { status, headers, body }, release);
      }),
  };
}

function byRespondToWebhook(call: WebhookCall, engine: Engine): ResponseMode {
  const nodeResponse = new Deferred<NodeResponse>();
  return {
    start: {
      responseSink: { respond: (response) => nodeResponse.resolve(response), stream: async () => false },
    },
    respond: ({ id, done }) =>
      holdingFiles(id, engine, async (release) => {
        const first = await Promise.race([nodeResponse.promise, done]);
        if ('body' in first) {
          const evaluate = expressionsIn(id, call, engine);
          const headers = [...(await responseHeaders(call.options.response, evaluate)), ...first.headers];
          const { status = 200, body } = first;
          return send(call, engine, id, { status, headers, body }, release);
        }
        release();
        if (hasFailed(first)) return failedWorkflow(first, call);
        return send(call, engine, id, {
          status: 200,
          headers: [],
          body: { kind: 'none' },
          fromWorkflow: false,
        });
      }),
  };
}

function streaming(call: WebhookCall, engine: Engine): ResponseMode {
  const { clock } = engine.services.host;
  const lines = new LineStream(() => clock.now());
  return {
    start: { responseSink: lines },
    async respond({ id, done }) {
      void done.then((result) => lines.end(result, call.workflow));
      const evaluate = expressionsIn(id, call, engine);
      const headers = new Headers([
        ...call.cors,
        ...(await responseHeaders(call.options.response, evaluate)),
      ]);
      headers.set('content-type', 'application/json; charset=utf-8');
      headers.set('cache-control', 'no-cache');
      return new Response(call.request.method === 'HEAD' ? null : lines.body, { status: 200, headers });
    },
  };
}

/** Keeps the execution's files until `release` is called, or `work` fails. */
async function holdingFiles(
  executionId: string,
  { files }: Engine,
  work: (release: () => void) => Promise<Response>,
): Promise<Response> {
  const release = files.hold(executionId);
  try {
    return await work(release);
  } catch (error) {
    release();
    throw error;
  }
}

function expressionsIn(executionId: string, call: WebhookCall, { services }: Engine): Evaluate {
  return callExpressions(call, services, executionId);
}

function send(
  { request, cors }: WebhookCall,
  { settings, services }: Engine,
  executionId: string,
  response: WorkflowResponse,
  done: () => void = () => {},
): Promise<Response> {
  return sendResponse(response, {
    request,
    cors,
    sandboxed: settings.sandboxedResponses,
    open: (binary) => services.binary(executionId).stream(binary),
    done,
  });
}

function hasFailed({ status }: RunResult): boolean {
  return status === 'error' || status === 'canceled';
}

/** @throws the error of the storage, if the call could not be recorded */
function failedWorkflow({ unrecorded }: RunResult, { cors }: WebhookCall): Response {
  if (unrecorded !== undefined) throw unrecorded;
  return jsonResponse({ message: 'Error in workflow' }, 500, cors);
}
