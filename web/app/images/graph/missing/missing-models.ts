import type { Graph } from '../../../graph-editor/graph/graph.ts';
import type { NodeKind } from '../../../graph-editor/nodes/node-kind.ts';

const MODEL_FILE = /\.(safetensors|sft|ckpt|pt|pth|bin|gguf)$/i;

/** The names of model files in a graph that the lists of its nodes do not have. Nodes that do not run are left out. */
export function missingModels(graph: Graph, kinds: Pick<ReadonlyMap<string, NodeKind>, 'get'>): string[] {
  const missing = new Set<string>();
  for (const { type, values, mode } of graph.nodes.values()) {
    if (mode !== undefined) continue;
    for (const { name, widget } of kinds.get(type)?.inputs ?? []) {
      const value = values[name];
      if (widget?.kind !== 'choice' || typeof value !== 'string') continue;
      if (MODEL_FILE.test(value) && !widget.options.includes(value)) missing.add(value);
    }
  }
  return [...missing];
}
