/** A graph in ComfyUI's API format: reads it, and inserts a text and new seeds. */

import { isObject } from '#core/base';
import { ApiClientError } from '../api-client-error.ts';

/** The nodes of a graph by their ids. Links are `["3", 0]`: the id of the source and the number of its output. */
export type ImageGraph = Record<string, { class_type?: unknown; inputs?: Record<string, unknown> }>;

const PLACEHOLDER = '%text%';
const SEED_INPUTS = ['seed', 'noise_seed'];
/** Nodes between a sampler and the text encoder of its prompt. More of them mean a cycle. */
const MAX_STEPS = 20;

/**
 * The graph of a JSON text or a parsed value, as a copy.
 * @throws ApiClientError for anything but a graph in API format
 */
export function readImageGraph(value: unknown): ImageGraph {
  const graph = typeof value === 'string' ? parse(value) : value;
  if (isObject(graph) && Array.isArray(graph.nodes)) {
    throw new ApiClientError('This is a workflow as the editor saves it, not a graph in API format', {
      description: 'Export it in the editor with "Export (API)" and use that file.',
    });
  }
  const isGraph =
    isObject(graph) && Object.values(graph).every((node) => isObject(node) && 'class_type' in node);
  if (!isGraph || Object.keys(graph as object).length === 0) {
    throw new ApiClientError('The graph holds no nodes', {
      description: 'It is an object whose values are nodes with "class_type" and "inputs" (API format).',
    });
  }
  return structuredClone(graph) as ImageGraph;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new ApiClientError(`The graph is not JSON: ${(cause as Error).message}`, { cause });
  }
}

/** Whether `insertText` would find where to insert a text. */
export function takesText(graph: ImageGraph): boolean {
  return JSON.stringify(graph).includes(PLACEHOLDER) || promptNode(graph) !== undefined;
}

/** Replaces `%text%` in all inputs. In a graph without it, the text becomes the positive prompt. */
export function insertText(graph: ImageGraph, text: string): void {
  let hasPlaceholder = false;
  for (const { inputs } of Object.values(graph)) {
    for (const [name, value] of Object.entries(inputs ?? {})) {
      if (typeof value !== 'string' || !value.includes(PLACEHOLDER)) continue;
      inputs![name] = value.replaceAll(PLACEHOLDER, () => text);
      hasPlaceholder = true;
    }
  }
  const node = hasPlaceholder ? undefined : promptNode(graph);
  if (node?.inputs) node.inputs.text = text;
}

/** Sets random seeds: with the same seeds, the same graph would make the same image again. */
export function renewSeeds(graph: ImageGraph): void {
  for (const { inputs } of Object.values(graph)) {
    for (const name of SEED_INPUTS) {
      if (typeof inputs?.[name] === 'number') inputs[name] = crypto.getRandomValues(new Uint32Array(1))[0];
    }
  }
}

/** The node with the positive prompt: from a sampler's input `positive` back to the first node that has a text. */
function promptNode(graph: ImageGraph): ImageGraph[string] | undefined {
  for (const { inputs } of Object.values(graph)) {
    let id = sourceOf(inputs?.positive);
    for (let steps = 0; id !== undefined && steps < MAX_STEPS; steps++) {
      const node: ImageGraph[string] | undefined = graph[id];
      if (typeof node?.inputs?.text === 'string') return node;
      id = sourceOf(node?.inputs?.positive) ?? sourceOf(node?.inputs?.conditioning);
    }
  }
  return undefined;
}

/** The id of the node that a link such as `["3", 0]` comes from. */
function sourceOf(value: unknown): string | undefined {
  return Array.isArray(value) && value.length === 2 ? String(value[0]) : undefined;
}
