/** The way into a server under load: its ports, or the page of a tab. */
import type { ApiName } from '#core/http';
import type { RunningShim } from '../support/processes/shim.ts';
import type { WorkflowControl } from '../support/webhooks/workflow-control.ts';

export interface SoakRequest {
  method: string;
  path: string;
  headers?: Record<string, string>;
  /** JSON, or bytes with a content type in `headers`. */
  body?: object | Uint8Array<ArrayBuffer>;
}

export interface SoakAnswer {
  status: number;
  text: string;
}

export interface Door {
  send(api: ApiName, request: SoakRequest): Promise<SoakAnswer>;
  /** Begins a request, and disconnects after so many milliseconds, whether it was answered or not. */
  leave(api: ApiName, request: SoakRequest, milliseconds: number): Promise<void>;
  /** The JSON of a successful answer of the workflows' control API. */
  readonly control: WorkflowControl['json'];
}

export const isBytes = (body: SoakRequest['body']): body is Uint8Array<ArrayBuffer> =>
  body instanceof Uint8Array;

/** A door to the ports of a process. */
export function portDoor(shim: RunningShim, control: WorkflowControl): Door {
  const begin = (api: ApiName, { method, path, headers, body }: SoakRequest, signal?: AbortSignal) =>
    fetch(`http://127.0.0.1:${shim.ports[api]}${path}`, {
      method,
      headers: { ...(body && !isBytes(body) && { 'content-type': 'application/json' }), ...headers },
      ...(body && { body: isBytes(body) ? body : JSON.stringify(body) }),
      ...(signal && { signal }),
    });
  return {
    control: control.json,
    async send(api, request) {
      const response = await begin(api, request);
      return { status: response.status, text: await response.text() };
    },
    async leave(api, request, milliseconds) {
      const leaving = AbortSignal.timeout(milliseconds);
      try {
        await (await begin(api, request, leaving)).arrayBuffer();
      } catch (error) {
        if (!leaving.aborted) throw error;
      }
    },
  };
}
