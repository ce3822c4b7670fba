/** A graph in ComfyUI's API format, and what is put into it before it is sent. */

import { isObject } from '#core/base';
import { NodeError } from '#core/webhooks/node-api/node-error.ts';

export type Graph = Record<string, { class_type?: unknown; inputs?: Record<string, unknown> }>;

const PLACEHOLDER = '%text%';
const SEEDS = ['seed', 'noise_seed'];

/** Throws `NodeError`. The answer is a copy. */
export function readGraph(given: unknown): Graph {
  let graph = given;
  if (typeof given === 'string') {
    try {
      graph = JSON.parse(given);
    } catch (error) {
      throw new NodeError(`The graph is not JSON: ${(error as Error).message}`);
    }
  }
  if (isObject(graph) && Array.isArray(graph.nodes)) {
    throw new NodeError('This is a workflow as the editor saves it, not a graph in API format', {
      description: 'Export it in the editor with "Export (API)" and use that file.',
    });
  }
  const isGraph =
    isObject(graph) && Object.values(graph).every((node) => isObject(node) && 'class_type' in node);
  if (!isGraph || Object.keys(graph as object).length === 0) {
    throw new NodeError('The graph holds no nodes', {
      description: 'It is an object whose values are nodes with "class_type" and "inputs" (API format).',
    });
  }
  return structuredClone(graph) as Graph;
}

/** Whether a text has a place in the graph. */
export function takesText(graph: Graph): boolean {
  return JSON.stringify(graph).includes(PLACEHOLDER) || promptNode(graph) !== undefined;
}

/** Replaces `%text%` wherever it stands; without it the text becomes the positive prompt. */
export function putText(graph: Graph, text: string): void {
  let found = false;
  for (const { inputs } of Object.values(graph)) {
    for (const [name, value] of Object.entries(inputs ?? {})) {
      if (typeof value !== 'string' || !value.includes(PLACEHOLDER)) continue;
      inputs![name] = value.replaceAll(PLACEHOLDER, () => text);
      found = true;
    }
  }
  const node = found ? undefined : promptNode(graph);
  if (node?.inputs) node.inputs.text = text;
}

/** A graph that was run before with the same seed gives the same picture again. */
export function newSeeds(graph: Graph): void {
  for (const { inputs } of Object.values(graph)) {
    for (const name of SEEDS) {
      if (typeof inputs?.[name] === 'number') inputs[name] = crypto.getRandomValues(new Uint32Array(1))[0];
    }
  }
}

/** The node that encodes the positive prompt: what `positive` of a sampler leads to, through what only passes it on. */
function promptNode(graph: Graph): Graph[string] | undefined {
  for (const { inputs } of Object.values(graph)) {
    let at = linked(inputs?.positive);
    for (let steps = 0; at !== undefined && steps < 20; steps++) {
      const node: Graph[string] | undefined = graph[at];
      if (typeof node?.inputs?.text === 'string') return node;
      at = linked(node?.inputs?.positive) ?? linked(node?.inputs?.conditioning);
    }
  }
  return undefined;
}

/** Of a link `["3", 0]` the node it comes from. */
function linked(value: unknown): string | undefined {
  return Array.isArray(value) && value.length === 2 ? String(value[0]) : undefined;
}
