/** Who leads where in a workflow. Only `main` connections carry items. */
import type { Connection, Workflow, WorkflowNode } from './workflow.ts';

export interface Incoming {
  source: string;
  output: number;
  input: number;
}

export class WorkflowGraph {
  readonly #nodes = new Map<string, WorkflowNode>();
  readonly #outgoing = new Map<string, Connection[][]>();
  readonly #incoming = new Map<string, Incoming[]>();

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

  node(name: string): WorkflowNode | undefined {
    return this.#nodes.get(name);
  }

  /** Where an output leads. */
  targets(name: string, output: number): Connection[] {
    return this.#outgoing.get(name)?.[output] ?? [];
  }

  /** How many outputs are connected (the highest one plus 1). */
  outputs(name: string): number {
    return this.#outgoing.get(name)?.length ?? 0;
  }

  incoming(name: string): Incoming[] {
    return this.#incoming.get(name) ?? [];
  }

  /** Every node that can be reached from `name`, without itself unless it is in a loop. */
  descendants(name: string): Set<string> {
    return this.#reach(name, (at) => (this.#outgoing.get(at) ?? []).flat().map(({ node }) => node));
  }

  /** Every node that `name` can be reached from. */
  ancestors(name: string): Set<string> {
    return this.#reach(name, (at) => this.incoming(at).map(({ source }) => source));
  }

  #reach(from: string, next: (at: string) => string[]): Set<string> {
    const reached = new Set<string>();
    const todo = next(from);
    for (let at = todo.pop(); at !== undefined; at = todo.pop()) {
      if (reached.has(at)) continue;
      reached.add(at);
      todo.push(...next(at));
    }
    return reached;
  }
}
