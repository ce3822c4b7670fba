/** Checks graphs of other servers against the nodes of this one, without their models and images. */

import type { Host } from '#core/host';
import { StoredFiles } from '#core/image-workflows/files/stored-files.ts';
import { readGraph } from '#core/image-workflows/graph/graph.ts';
import type { NodeErrors } from '#core/image-workflows/graph/input-error.ts';
import { validate } from '#core/image-workflows/graph/validate.ts';
import { nodeTypes } from '#core/image-workflows/nodes/index.ts';
import type { AnyNode } from '#core/image-workflows/nodes/kernel/node-type.ts';
import { parsePythonJson } from '#core/image-workflows/python/python-value.ts';
import { printExactJson } from '#web/app/graph-editor/graph/value.ts';
import type { NodeKinds } from '#web/app/graph-editor/nodes/node-kind.ts';
import { toApiFormat } from '#web/app/images/graph/formats/api-format.ts';
import { readGraphText } from '#web/app/images/graph/formats/graph-file.ts';

/** The faults of a graph. A graph without any runs when its models and images are there. */
export interface GraphFaults {
  /** Classes that no node here has. Names of custom nodes are among them. */
  missingClasses: string[];
  /** `CLASS.INPUT: message` of inputs that this server refuses. */
  inputs: string[];
}

const TYPES = new Map<string, AnyNode>(nodeTypes.map((type) => [type.name, type]));

/**
 * @param text A graph as the official editor saves or exports it.
 * @param kinds The nodes of this server, as editors read them.
 */
export async function checkGraph(text: string, kinds: NodeKinds, host: Host): Promise<GraphFaults> {
  const prompt = toApiFormat(readGraphText(text, kinds), kinds);
  const graph = readGraph(parsePythonJson(printExactJson(prompt)));
  const missingClasses = [...new Set([...graph.values()].map(({ className }) => className))]
    .filter((name) => !TYPES.has(name))
    .sort();
  const existing = new Map([...graph].filter(([, { className }]) => TYPES.has(className)));
  const inputs = missingClasses.length > 0 ? [] : faultsOf(await errorsOf(existing, host));
  return { missingClasses, inputs };
}

async function errorsOf(graph: ReturnType<typeof readGraph>, host: Host): Promise<NodeErrors> {
  try {
    const context = { files: new StoredFiles(host), host };
    return (await validate(graph, TYPES, undefined, context)).nodeErrors;
  } catch (error) {
    return (error as { nodeErrors?: NodeErrors }).nodeErrors ?? failed(error as Error);
  }
}

const failed = ({ message }: Error): NodeErrors => ({
  graph: {
    class_type: 'graph',
    dependent_outputs: [],
    errors: [{ type: 'refused', message, details: '', extra_info: {} }],
  },
});

function faultsOf(errors: NodeErrors): string[] {
  const faults = Object.values(errors).flatMap(({ class_type, errors }) =>
    errors
      .filter(({ type, extra_info }) => !isMissingFile(class_type, type, String(extra_info.input_name)))
      .map(({ message, details }) => `${class_type}: ${message} ${details}`.slice(0, 160)),
  );
  return [...new Set(faults)].sort();
}

/** A file that the graph names is not there, because this check has none. */
function isMissingFile(className: string, error: string, input: string): boolean {
  const type = TYPES.get(className)?.inputs[input]?.type;
  if (error === 'value_not_in_list') return typeof type === 'object' && typeof type.choices === 'function';
  return error === 'custom_validation_failed';
}
