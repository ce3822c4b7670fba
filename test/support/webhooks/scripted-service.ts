/** Runs workflows over a scripted HTTP service, and records what reaches it. */
import { onTestFinished } from 'vitest';
import type { LocalApis } from '#core/http';
import type { RunResult } from '#core/webhooks/engine/run/run-result.ts';
import type { Item, JsonObject, Workflow } from '#core/workflow-format';
import { openEngine } from './workflow-case.ts';

export interface ServiceRequest {
  method: string;
  /** Host, path and query. */
  url: string;
  headers: Record<string, string>;
  /** JSON as a value, and a form as an object with the texts of its files. */
  body: unknown;
}

/** JSON, bytes, or a complete response. */
type ServiceAnswer = object | Uint8Array<ArrayBuffer> | Response;

/**
 * @param answers by method and path: `POST /v1/files`. Others are answered with 404.
 * @param credential the data of each credential
 * @param localFetch answers requests to the models of this server
 */
export async function scriptedService(
  answers: Record<string, ServiceAnswer | ((request: ServiceRequest) => ServiceAnswer)>,
  credential: JsonObject = { apiKey: 'k' },
  localFetch?: LocalApis['fetch'],
) {
  const requests: ServiceRequest[] = [];
  const { engine, host } = await openEngine(
    {
      async fetch(request) {
        const { host: name, pathname, search } = new URL(request.url);
        const received: ServiceRequest = {
          method: request.method,
          url: name + pathname + search,
          headers: Object.fromEntries(request.headers),
          body: await bodyOf(request),
        };
        requests.push(received);
        const answer = answers[`${request.method} ${pathname}`] ?? new Response('{}', { status: 404 });
        const value = typeof answer === 'function' ? answer(received) : answer;
        if (value instanceof Response) return value.clone();
        return ArrayBuffer.isView(value)
          ? new Response(value as Uint8Array<ArrayBuffer>)
          : Response.json(value);
      },
      settings: { TABD_ALLOW_PRIVATE_ADDRESSES: 'true' },
    },
    {
      credentials: { data: async () => credential },
      ...(localFetch && { localApis: { fetch: localFetch } }),
    },
  );
  onTestFinished(() => engine.close());
  const run = async (workflow: Workflow, items: Item[] = [{ json: {} }]): Promise<RunResult> => {
    const handle = await engine.executions.start({
      workflow,
      mode: 'webhook',
      node: 'Start',
      output: [items],
    });
    return handle.done;
  };
  return { run, requests, engine, host };
}

async function bodyOf(request: Request): Promise<unknown> {
  const type = request.headers.get('content-type') ?? '';
  if (type.startsWith('multipart/form-data')) return formFields(await request.formData());
  const text = await request.text();
  return text !== '' && type.includes('json') ? JSON.parse(text) : text;
}

async function formFields(form: FormData): Promise<JsonObject> {
  const fields: JsonObject = {};
  for (const [name, value] of form)
    fields[name] = typeof value === 'string' ? value : `${value.name}: ${await value.text()}`;
  return fields;
}
