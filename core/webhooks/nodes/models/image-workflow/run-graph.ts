/** Runs a graph on the image room of this server and waits for its pictures. */

import { isObject } from '#core/base';
import type { NodeContext } from '#core/webhooks/node-api/node-context.ts';
import { NodeError } from '#core/webhooks/node-api/node-error.ts';
import type { Graph } from './graph.ts';

export interface StoredImage {
  filename: string;
  subfolder: string;
  type: string;
}

export interface GraphResult {
  promptId: string;
  images: StoredImage[];
  /** What text nodes showed. */
  text: string[];
}

/** Milliseconds between looks: short at first, for graphs that are done at once. */
const SOONEST = 20;
const LATEST = 500;

/** Throws `NodeError` with the room's own words. A run that is stopped takes its prompt back. */
export async function runGraph(context: NodeContext, graph: Graph): Promise<GraphResult> {
  const promptId = crypto.randomUUID();
  const body = JSON.stringify({ prompt: graph, prompt_id: promptId, client_id: `workflow-${promptId}` });
  const answer = await context.localApis.fetch('/prompt', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
    signal: context.signal,
  });
  const accepted: unknown = await answer.json().catch(() => undefined);
  if (!answer.ok || !isObject(accepted)) throw refused(accepted, answer.status);
  const id = String(accepted.prompt_id ?? promptId);
  try {
    for (let pause = SOONEST; ; pause = Math.min(LATEST, 2 * pause)) {
      const entry = await historyOf(context, id);
      if (entry) return resultOf(id, entry);
      await context.sleep(pause);
    }
  } catch (error) {
    if (context.signal.aborted) takeBack(context, id);
    throw error;
  }
}

export async function readImage(context: NodeContext, image: StoredImage): Promise<Response> {
  const query = new URLSearchParams({
    filename: image.filename,
    subfolder: image.subfolder,
    type: image.type,
  });
  const response = await context.localApis.fetch(`/view?${query}`, { signal: context.signal });
  if (response.ok) return response;
  throw new NodeError(`The picture ${image.filename} cannot be read (status ${response.status})`);
}

async function historyOf(context: NodeContext, id: string): Promise<Record<string, unknown> | undefined> {
  const response = await context.localApis.fetch(`/history/${id}`, { signal: context.signal });
  if (!response.ok) throw new NodeError(`The image workflow was lost (status ${response.status})`);
  const history: unknown = await response.json();
  const entry = isObject(history) ? history[id] : undefined;
  return isObject(entry) && isObject(entry.status) ? entry : undefined;
}

function resultOf(promptId: string, entry: Record<string, unknown>): GraphResult {
  const { status_str, messages } = entry.status as { status_str: string; messages?: [string, unknown][] };
  if (status_str !== 'success') throw failed(messages ?? []);
  const outputs = Object.values((entry.outputs ?? {}) as Record<string, Record<string, unknown>>);
  const listed = (name: string) =>
    outputs.flatMap((output) => (Array.isArray(output[name]) ? (output[name] as unknown[]) : []));
  return {
    promptId,
    images: listed('images') as StoredImage[],
    text: listed('text').map(String),
  };
}

function failed(messages: [string, unknown][]): NodeError {
  const error = messages.find(([type]) => type === 'execution_error')?.[1];
  if (!isObject(error)) return new NodeError('The image workflow was interrupted');
  const { exception_message: message, node_type: type, node_id: id } = error;
  return new NodeError(String(message ?? 'The image workflow failed').trim(), {
    description: `In node ${String(id)} (${String(type)}) of the graph.`,
  });
}

/** What validation says, the graph's node with each fault. */
function refused(answer: unknown, status: number): NodeError {
  const { error, node_errors: nodes } = isObject(answer) ? answer : {};
  const told = isObject(error) ? [error.message, error.details].filter(Boolean).join(': ') : error;
  const faults = Object.entries(isObject(nodes) ? nodes : {}).flatMap(([id, node]) => {
    const { class_type: type, errors } = node as { class_type?: string; errors?: Record<string, string>[] };
    return (errors ?? []).map(({ message, details }) => `Node ${id} (${type}): ${message}: ${details}`);
  });
  return new NodeError(told ? String(told) : `The image workflow was refused (status ${status})`, {
    httpCode: String(status),
    ...(faults.length > 0 && { description: faults.join('\n') }),
  });
}

function takeBack(context: NodeContext, id: string): void {
  const send = (path: string, body: object) =>
    context.localApis
      .fetch(path, { method: 'POST', body: JSON.stringify(body) })
      .then((response) => response.body?.cancel())
      .catch(() => undefined);
  void send('/queue', { delete: [id] });
  void send('/interrupt', { prompt_id: id });
}
