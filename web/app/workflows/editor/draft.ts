/** Edits of a workflow. Each function returns a new draft and does not change its argument. */
import type {
  Connection,
  Connections,
  NodeInfo,
  StoredWorkflow,
  WorkflowDraft,
  WorkflowNode,
} from '../api-types.ts';

/** The fields of a draft that the control API accepts. */
export function exportDraft({ name, nodes, connections, settings, pinData }: WorkflowDraft): object {
  return { name, nodes, connections, settings, ...(pinData && { pinData }) };
}

/** The editable part of a stored workflow. */
export function toDraft({ name, nodes, connections, settings, pinData }: StoredWorkflow): WorkflowDraft {
  return { name, nodes, connections, settings, pinData: pinData ?? null };
}

/** An unused node name: `Chat`, then `Chat1`, `Chat2` … */
export function uniqueNodeName(draft: WorkflowDraft, label: string): string {
  const taken = new Set(draft.nodes.map(({ name }) => name));
  for (let number = 0; ; number++) {
    const name = number === 0 ? label : `${label}${number}`;
    if (!taken.has(name)) return name;
  }
}

/** Distance between nodes, in pixels of the canvas. */
const NODE_SPACING = 220;

/** @param after the node to connect to the new one, from its first output */
export function addNode(
  draft: WorkflowDraft,
  info: NodeInfo,
  after?: string,
): { draft: WorkflowDraft; name: string } {
  const name = uniqueNodeName(draft, info.label);
  const former = draft.nodes.find((node) => node.name === after);
  const lowest = Math.max(0, ...draft.nodes.map(({ position }) => position[1]));
  const node: WorkflowNode = {
    id: crypto.randomUUID(),
    name,
    type: info.name,
    typeVersion: info.versions.at(-1) ?? 1,
    position: former
      ? [former.position[0] + NODE_SPACING, former.position[1]]
      : [0, draft.nodes.length > 0 ? lowest + NODE_SPACING : 0],
    parameters: {},
  };
  const added = { ...draft, nodes: [...draft.nodes, node] };
  const leads = former && info.inputs > 0;
  return {
    draft: leads ? connectNodes(added, former.name, 0, { node: name, type: 'main', index: 0 }) : added,
    name,
  };
}

/** Removes a node. Its sources are connected to the targets of its first output. */
export function removeNode(draft: WorkflowDraft, name: string): WorkflowDraft {
  const next = draft.connections[name]?.main?.[0] ?? [];
  const { [name]: _removed, ...others } = draft.connections;
  const bridged = mapTargets(others, (targets) =>
    targets.flatMap((target) =>
      target.node === name
        ? next.filter(({ node }) => node !== name).map((target) => ({ ...target }))
        : [target],
    ),
  );
  const { [name]: _pinned, ...pinData } = draft.pinData ?? {};
  return { ...draft, nodes: draft.nodes.filter((node) => node.name !== name), connections: bridged, pinData };
}

/** Renames a node, also in expressions. Returns the same draft when the new name is taken or empty. */
export function renameNode(draft: WorkflowDraft, name: string, newName: string): WorkflowDraft {
  const fresh = newName.trim();
  if (fresh === '' || fresh === name || draft.nodes.some((node) => node.name === fresh)) return draft;
  const nodes = draft.nodes.map((node) => ({
    ...node,
    name: node.name === name ? fresh : node.name,
    parameters: renameInExpressions(node.parameters, name, fresh) as WorkflowNode['parameters'],
  }));
  const renamed = mapTargets(draft.connections, (targets) =>
    targets.map((target) => (target.node === name ? { ...target, node: fresh } : target)),
  );
  const keyed = <T>(table: Record<string, T>): Record<string, T> =>
    Object.fromEntries(Object.entries(table).map(([key, value]) => [key === name ? fresh : key, value]));
  return {
    ...draft,
    nodes,
    connections: keyed(renamed),
    ...(draft.pinData && { pinData: keyed(draft.pinData) }),
  };
}

function renameInExpressions(value: unknown, from: string, to: string): unknown {
  if (typeof value === 'string') {
    if (!value.startsWith('=')) return value;
    return ["'", '"'].reduce(
      (text, quote) =>
        text
          .replaceAll(`$(${quote}${from}${quote})`, `$(${quote}${to}${quote})`)
          .replaceAll(`$node[${quote}${from}${quote}]`, `$node[${quote}${to}${quote}]`),
      value,
    );
  }
  if (Array.isArray(value)) return value.map((inner) => renameInExpressions(inner, from, to));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key, renameInExpressions(inner, from, to)]),
  );
}

export function updateNode(draft: WorkflowDraft, name: string, part: Partial<WorkflowNode>): WorkflowDraft {
  return { ...draft, nodes: draft.nodes.map((node) => (node.name === name ? { ...node, ...part } : node)) };
}

export function connectNodes(
  draft: WorkflowDraft,
  source: string,
  output: number,
  target: Connection,
): WorkflowDraft {
  const outputs = [...(draft.connections[source]?.main ?? [])];
  while (outputs.length <= output) outputs.push([]);
  const targets = outputs[output] ?? [];
  if (targets.some(({ node, index }) => node === target.node && index === target.index)) return draft;
  outputs[output] = [...targets, target];
  return withOutputs(draft, source, outputs);
}

export function disconnect(
  draft: WorkflowDraft,
  source: string,
  output: number,
  target: Connection,
): WorkflowDraft {
  const outputs = (draft.connections[source]?.main ?? []).map((targets, index) =>
    index === output
      ? (targets ?? []).filter(({ node, index: input }) => node !== target.node || input !== target.index)
      : targets,
  );
  return withOutputs(draft, source, outputs);
}

function withOutputs(draft: WorkflowDraft, source: string, main: (Connection[] | null)[]): WorkflowDraft {
  return {
    ...draft,
    connections: { ...draft.connections, [source]: { ...draft.connections[source], main } },
  };
}

function mapTargets(connections: Connections, change: (targets: Connection[]) => Connection[]): Connections {
  return Object.fromEntries(
    Object.entries(connections).map(([source, kinds]) => [
      source,
      Object.fromEntries(
        Object.entries(kinds).map(([kind, outputs]) => [
          kind,
          outputs.map((targets) => (targets ? change(targets) : targets)),
        ]),
      ),
    ]),
  );
}

/** The keys that lead to a value in the parameters of a node. */
export type ParameterPath = (string | number)[];

export function valueAt(value: unknown, path: ParameterPath): unknown {
  return path.reduce<unknown>(
    (at, key) =>
      typeof at === 'object' && at !== null ? (at as Record<string | number, unknown>)[key] : undefined,
    value,
  );
}

/** A copy of `target` with a value set. Undefined removes it, and closes the gap in an array. */
export function withValue(target: unknown, [key, ...rest]: ParameterPath, value: unknown): unknown {
  if (key === undefined) return value;
  const list = typeof key === 'number';
  const copy: Record<string | number, unknown> | unknown[] = list
    ? [...(Array.isArray(target) ? target : [])]
    : { ...(typeof target === 'object' && target !== null ? (target as object) : {}) };
  const inner = withValue((copy as Record<string | number, unknown>)[key], rest, value);
  if (inner !== undefined) (copy as Record<string | number, unknown>)[key] = inner;
  else if (Array.isArray(copy)) copy.splice(key as number, 1);
  else delete copy[key];
  return copy;
}
