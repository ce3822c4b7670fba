/** Runs a graph by the ComfyUI API of this server, and waits for its images. */

import { isObject } from '#core/base';
import type { ApiCaller } from '../api-caller.ts';
import { ApiClientError } from '../api-client-error.ts';
import type { ImageGraph } from './api-graph.ts';

/** An image in a folder of the image API. */
export interface StoredImage {
  filename: string;
  subfolder: string;
  type: string;
}

/** The outputs of a graph that ran to its end. */
export interface GraphResult {
  promptId: string;
  images: StoredImage[];
  /** The texts that nodes showed. */
  text: string[];
}

/** Milliseconds between two requests for the history. The pause doubles, so that short graphs end early. */
const MIN_PAUSE = 20;
const MAX_PAUSE = 500;

/**
 * Runs a graph, and waits for its images. The prompt is cancelled when the signal aborts.
 * @throws ApiClientError with the API's error message
 */
export async function runGraph(caller: ApiCaller, graph: ImageGraph): Promise<GraphResult> {
  const promptId = crypto.randomUUID();
  const body = JSON.stringify({ prompt: graph, prompt_id: promptId, client_id: promptId });
  const response = await caller.localApis.fetch('/prompt', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
    signal: caller.signal,
  });
  const queued: unknown = await response.json().catch(() => undefined);
  if (!response.ok || !isObject(queued)) throw validationError(queued, response.status);
  const id = String(queued.prompt_id ?? promptId);
  try {
    for (let pause = MIN_PAUSE; ; pause = Math.min(MAX_PAUSE, 2 * pause)) {
      const entry = await fetchHistory(caller, id);
      if (entry) return resultOf(id, entry);
      await caller.sleep(pause);
    }
  } catch (error) {
    if (caller.signal.aborted) cancelPrompt(caller, id);
    throw error;
  }
}

/**
 * The file of an image.
 * @param preview another format and its quality: `jpeg;90`
 * @throws ApiClientError when it cannot be read
 */
export async function fetchImage(caller: ApiCaller, image: StoredImage, preview?: string): Promise<Response> {
  const { filename, subfolder, type } = image;
  const query = new URLSearchParams({ filename, subfolder, type, ...(preview !== undefined && { preview }) });
  const response = await caller.localApis.fetch(`/view?${query}`, { signal: caller.signal });
  if (response.ok) return response;
  throw new ApiClientError(`The image ${image.filename} cannot be read (status ${response.status})`);
}

/** The prompt's entry in the history. Undefined while the prompt is queued or running. */
async function fetchHistory(caller: ApiCaller, id: string): Promise<Record<string, unknown> | undefined> {
  const response = await caller.localApis.fetch(`/history/${id}`, { signal: caller.signal });
  if (!response.ok) throw new ApiClientError(`The image workflow has no history (status ${response.status})`);
  const history: unknown = await response.json();
  const entry = isObject(history) ? history[id] : undefined;
  return isObject(entry) && isObject(entry.status) ? entry : undefined;
}

function resultOf(promptId: string, entry: Record<string, unknown>): GraphResult {
  const { status_str, messages } = entry.status as { status_str: string; messages?: [string, unknown][] };
  if (status_str !== 'success') throw executionError(messages ?? []);
  const outputs = Object.values((entry.outputs ?? {}) as Record<string, Record<string, unknown>>);
  const outputList = (name: string) =>
    outputs.flatMap((output) => (Array.isArray(output[name]) ? (output[name] as unknown[]) : []));
  return {
    promptId,
    images: outputList('images') as StoredImage[],
    text: outputList('text').map(String),
  };
}

function executionError(messages: [string, unknown][]): ApiClientError {
  const error = messages.find(([type]) => type === 'execution_error')?.[1];
  if (!isObject(error)) return new ApiClientError('The image workflow was interrupted');
  const { exception_message: message, node_type: type, node_id: id } = error;
  return new ApiClientError(String(message ?? 'The image workflow failed').trim(), {
    description: `In node ${String(id)} (${String(type)}) of the graph.`,
  });
}

/** The error of a prompt that was refused. Its description lists the errors of each node. */
function validationError(answer: unknown, status: number): ApiClientError {
  const { error, node_errors: nodes } = isObject(answer) ? answer : {};
  const message = isObject(error) ? [error.message, error.details].filter(Boolean).join(': ') : error;
  const nodeErrors = Object.entries(isObject(nodes) ? nodes : {}).flatMap(([id, node]) => {
    const { class_type: type, errors } = node as { class_type?: string; errors?: Record<string, string>[] };
    return (errors ?? []).map(({ message, details }) => `Node ${id} (${type}): ${message}: ${details}`);
  });
  return new ApiClientError(message ? String(message) : `The image workflow was refused (status ${status})`, {
    status,
    ...(nodeErrors.length > 0 && { description: nodeErrors.join('\n') }),
  });
}

/** Removes the prompt from the queue and interrupts it. Nobody waits for the outcome. */
function cancelPrompt(caller: ApiCaller, id: string): void {
  const send = (path: string, body: object) =>
    caller.localApis
      .fetch(path, { method: 'POST', body: JSON.stringify(body) })
      .then((response) => response.body?.cancel())
      .catch(() => undefined);
  void send('/queue', { delete: [id] });
  void send('/interrupt', { prompt_id: id });
}
