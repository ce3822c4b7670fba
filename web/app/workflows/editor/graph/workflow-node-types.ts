import type { Graph, GraphNode, NodeNamer } from '#web/app/graph-editor/graph/graph.ts';
import { groupsOf } from '#web/app/graph-editor/graph/group.ts';
import type { NodeKind, NodeKinds } from '#web/app/graph-editor/nodes/node-kind.ts';
import { workflowStrings } from '#web/app/strings/workflows.ts';
import type { NodeInfo } from '../../api-types.ts';

/** The number of inputs and the labels of the outputs of a node. */
export interface NodePorts {
  inputs: number;
  outputs: readonly string[];
}

/** Pixels. n8n's editor places nodes about 200 pixels apart. */
/** The parts of a node's description that its kind has. */
type KindInfo = Pick<NodeInfo, 'name' | 'label' | 'description' | 'group'>;

const WIDTH = 180;
const WEBHOOK = 'n8n-nodes-base.webhook';

/** The node types of workflows for the graph editor. Any output connects to any input, and cycles are allowed. */
export class WorkflowNodeTypes implements NodeKinds {
  readonly modes = ['bypassed'] as const;
  readonly allowsCycles = true;
  /** By type and ports, so that equal nodes share one object. */
  readonly #kinds = new Map<string, NodeKind>();

  constructor(
    private readonly types: () => ReadonlyMap<string, NodeInfo>,
    private readonly portsOf: (name: string) => NodePorts | undefined,
  ) {}

  get(type: string): NodeKind | undefined {
    const info = this.types().get(type);
    return info && this.#kind(info, info);
  }

  forNode({ id, type }: GraphNode, graph?: Graph): NodeKind {
    const info = this.types().get(type);
    return info ? this.#kind(info, this.portsOf(id) ?? info) : this.#unknownKind(id, type, graph);
  }

  /** A node that this server does not have has the size of the others, and the ports that its links need. */
  #unknownKind(id: string, type: string, graph: Graph | undefined): NodeKind {
    const links = graph?.links ?? [];
    const inputs = Math.max(1, ...links.filter(({ to }) => to === id).map(({ input }) => Number(input) + 1));
    const outputs = Math.max(1, ...links.filter(({ from }) => from === id).map(({ output }) => output + 1));
    return {
      ...this.#kind(
        { name: type, label: type, description: '', group: 'data' },
        { inputs, outputs: Array.from({ length: outputs }, () => 'main') },
      ),
      category: [],
    };
  }

  /** The address of a webhook. For other nodes the type, unless the name states it. */
  summaryOf({ id, type, extraFields }: GraphNode): string {
    const { httpMethod = 'GET', path } = (extraFields?.parameters ?? {}) as Record<string, unknown>;
    if (type === WEBHOOK && typeof path === 'string' && path !== '') return `${String(httpMethod)} /${path}`;
    const label = this.types().get(type)?.label ?? type;
    return id.startsWith(label) ? '' : label;
  }

  all(): readonly NodeKind[] {
    return [...this.types().values()].map((info) => this.#kind(info, info));
  }

  canConnect(): boolean {
    return true;
  }

  /** Returns unused names: `Chat`, then `Chat1`, `Chat2` … A copy of `Chat` is `Chat1`. */
  namer(graph: Graph): NodeNamer {
    const taken = new Set([...graph.nodes.keys(), ...groupsOf(graph).map(({ id }) => id)]);
    return ({ type, id }) => {
      const base = (id ?? this.types().get(type)?.label ?? type).replace(/\d+$/, '') || type;
      let name = id !== undefined && !taken.has(id) ? id : base;
      for (let number = 1; taken.has(name); number++) name = `${base}${number}`;
      taken.add(name);
      return name;
    };
  }

  #kind({ name, label, description, group }: KindInfo, { inputs, outputs }: NodePorts): NodeKind {
    const key = JSON.stringify([name, inputs, outputs]);
    const cachedKind = this.#kinds.get(key);
    if (cachedKind) return cachedKind;
    const kind: NodeKind = {
      type: name,
      title: label,
      category: [workflowStrings.node.groups[group]],
      help: description,
      width: WIDTH,
      inputs: Array.from({ length: inputs }, (_, at) => ({
        name: String(at),
        label: inputs > 1 ? workflowStrings.node.input(at + 1) : '',
        socket: 'main',
        required: false,
        acceptsMany: true,
      })),
      outputs: outputs.map((output) => ({
        label: outputs.length > 1 || output !== 'main' ? output : '',
        socket: 'main',
      })),
    };
    this.#kinds.set(key, kind);
    return kind;
  }
}
