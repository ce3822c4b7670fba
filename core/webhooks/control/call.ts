/** One call of the control API: what its handlers get, and how their answers and failures are written. */

import { isObject } from '#core/base';
import type { Host } from '#core/host';
import { ApiError, jsonResponse, type Route, type RouteCall, readBodyBytes } from '#core/http';
import type { ApiKeys } from '../credentials/api-keys.ts';
import type { CredentialStore } from '../credentials/credential-store.ts';
import type { Engine } from '../engine/engine.ts';
import type { Publishing, TestListening } from '../registrations/publishing.ts';
import type { Reachability } from '../registrations/reachability.ts';
import { authorise } from './authorise.ts';
import { controlFailure, controlProblem } from './problem.ts';

/** What the control API manages. */
export interface ControlParts {
  host: Pick<Host, 'clock' | 'log'>;
  engine: Engine;
  publishing: Publishing;
  listening: TestListening;
  reachability: Reachability;
  credentials: CredentialStore;
  keys: ApiKeys;
}

export interface ControlCall extends ControlParts {
  request: Request;
  params: Record<string, string>;
  query: URLSearchParams;
  /** Who asks is the owner of this server, not just a holder of a key. */
  owner: boolean;
  signal: AbortSignal;
  /** Throws `ApiError` 400 for anything but a JSON object, 413 for one that is too large. */
  body(): Promise<Record<string, unknown>>;
}

type Handler = (call: ControlCall) => Promise<unknown>;

/** Bytes of one workflow, at most. */
const MAX_BODY = 16 * 1024 * 1024;

/** What `handle` gives is sent as JSON, unless it is a response itself. */
export function controlRoute(
  open: () => Promise<ControlParts>,
  method: string,
  path: string,
  handle: Handler,
): Route {
  return {
    method,
    path: `/api/v1${path}`,
    async handle(call) {
      let log: Host['log'] | undefined;
      try {
        const parts = await open();
        log = parts.host.log;
        await authorise(call.request, call.context, parts.keys);
        const answer = await handle(controlCall(call, parts));
        return answer instanceof Response ? answer : jsonResponse(answer);
      } catch (error) {
        const known = controlFailure(error);
        if (known) return known;
        if (call.signal.aborted) throw error;
        log?.error('webhooks: a call of the control API failed', { path, error: String(error) });
        return controlProblem(500, 'Internal server error');
      }
    },
  };
}

function controlCall({ request, url, params, context, signal }: RouteCall, parts: ControlParts): ControlCall {
  return {
    ...parts,
    request,
    params,
    query: url.searchParams,
    owner: context.caller !== undefined,
    signal,
    body: () => readObject(request, signal),
  };
}

async function readObject(request: Request, signal: AbortSignal): Promise<Record<string, unknown>> {
  const bytes = await readBodyBytes(request, MAX_BODY, signal);
  if (bytes.byteLength === 0) return {};
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder().decode(bytes as Uint8Array<ArrayBuffer>));
  } catch (error) {
    throw new ApiError(400, `The body is not JSON: ${(error as Error).message}`);
  }
  if (!isObject(value)) throw new ApiError(400, 'request/body must be object');
  return value;
}
