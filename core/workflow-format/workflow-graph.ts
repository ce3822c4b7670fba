import type { Connection, Workflow, WorkflowNode } from './workflow.ts';

/** A connection as its target sees it. */
interface IncomingConnection {
  source: string;
  output: number;
  input: number;
}

/** The nodes of a workflow, the `main` connections between them, which carry items, and those of sub-nodes. */
export class WorkflowGraph {
  readonly #nodes = new Map<string, WorkflowNode>();
  readonly #outgoing = new Map<string, Connection[][]>();
  readonly #incoming = new Map<string, IncomingConnection[]>();

  constructor(readonly workflow: Pick<Workflow, 'nodes' | 'connections'>) {
    for (const node of workflow.nodes) this.#nodes.set(node.name, node);
    for (const [source, kinds] of Object.entries(workflow.connections)) {
      const outputs = (kinds.main ?? []).map((targets) =>
        (targets ?? []).filter(({ type }) => type === 'main'),
      );
      this.#outgoing.set(source, outputs);
      for (const [output, targets] of outputs.entries()) {
        for (const { node, index } of targets) {
          const list = this.#incoming.get(node) ?? [];
          list.push({ source, output, input: index });
          this.#incoming.set(node, list);
        }
      }
    }
  }

  /**
   * The sub-nodes of a node, in the order of n8n: the last connected one first.
   * @param kind `ai_tool` …
   */
  subNodes(name: string, kind: string): { node: WorkflowNode; input: number }[] {
    const found: { node: WorkflowNode; input: number }[] = [];
    for (const [source, kinds] of Object.entries(this.workflow.connections)) {
      const node = this.#nodes.get(source);
      if (!node) continue;
      for (const target of (kinds[kind] ?? []).flatMap((targets) => targets ?? [])) {
        if (target.node === name && target.type === kind) found.unshift({ node, input: target.index });
      }
    }
    return found;
  }

  node(name: string): WorkflowNode | undefined {
    return this.#nodes.get(name);
  }

  /** The connections of one output. */
  targets(name: string, output: number): Connection[] {
    return this.#outgoing.get(name)?.[output] ?? [];
  }

  incoming(name: string): IncomingConnection[] {
    return this.#incoming.get(name) ?? [];
  }

  /** All nodes that come after `name`. The node itself is among them only if it is in a loop. */
  descendants(name: string): Set<string> {
    return reach(name, (at) => (this.#outgoing.get(at) ?? []).flat().map(({ node }) => node));
  }

  /** All nodes before `name`. The node itself is among them only if it is in a loop. */
  ancestors(name: string): Set<string> {
    return reach(name, (at) => this.incoming(at).map(({ source }) => source));
  }
}

function reach(from: string, neighbors: (name: string) => string[]): Set<string> {
  const reached = new Set<string>();
  const pending = neighbors(from);
  for (let at = pending.pop(); at !== undefined; at = pending.pop()) {
    if (reached.has(at)) continue;
    reached.add(at);
    pending.push(...neighbors(at));
  }
  return reached;
}
