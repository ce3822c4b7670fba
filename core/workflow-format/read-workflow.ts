/** Reads workflow JSON from files and requests. It accepts what exports of different versions contain. */
import { isObject } from '#core/base';
import { ApiError } from '#core/http';
import type { Item } from './item.ts';
import type { Connection, Connections, Workflow, WorkflowNode } from './workflow.ts';

/**
 * Reads a workflow of an export, an import file, or a request. Only `nodes` is required. Unknown keys stay.
 * @param ids the workflow's id instead of the one in the file, and a source of ids for nodes without one
 * @throws ApiError 400 that names the faulty field
 */
export function readWorkflow(source: unknown, ids: { id?: string; newId?: () => string } = {}): Workflow {
  if (!isObject(source)) refuse('the workflow must be a JSON object');
  if (!Array.isArray(source.nodes)) refuse('the workflow has no list of nodes');
  const names = new Set<string>();
  const nodes = source.nodes.map((raw, index) => {
    const node = readNode(raw, index, ids.newId ?? (() => crypto.randomUUID()));
    if (names.has(node.name)) refuse(`two nodes are called ${JSON.stringify(node.name)}`);
    names.add(node.name);
    return node;
  });
  return {
    ...source,
    id: ids.id ?? (textOrEmpty(source.id) || ''),
    name: textOrEmpty(source.name) || 'My workflow',
    nodes,
    connections: readConnections(source.connections, names),
    settings: isObject(source.settings) ? source.settings : {},
    pinData: isObject(source.pinData) ? (source.pinData as Record<string, Item[]>) : {},
    staticData: readStaticData(source.staticData),
    active: source.active === true,
  };
}

function readNode(raw: unknown, index: number, newId: () => string): WorkflowNode {
  const at = `nodes[${index}]`;
  if (!isObject(raw)) refuse(`${at} must be an object`);
  const type = textOrEmpty(raw.type);
  if (!type) refuse(`${at} has no type`);
  const name = textOrEmpty(raw.name);
  if (!name) refuse(`${at} has no name`);
  const version = raw.typeVersion === undefined ? 1 : numberOrNaN(raw.typeVersion);
  if (!Number.isFinite(version)) refuse(`${at}.typeVersion must be a number`);
  const position = Array.isArray(raw.position) ? raw.position.map(numberOrNaN) : [0, 0];
  return {
    ...raw,
    id: textOrEmpty(raw.id) || newId(),
    name,
    type,
    typeVersion: version,
    position: [finiteOrZero(position[0]), finiteOrZero(position[1])],
    parameters: isObject(raw.parameters) ? raw.parameters : {},
  };
}

/** Exports hold numbers also as text. `Number` throws for an object whose `toString` is no function. */
function numberOrNaN(value: unknown): number {
  return typeof value === 'number' || typeof value === 'string' ? Number(value) : Number.NaN;
}

/** JSON has no infinite numbers: they would be stored as null. */
const finiteOrZero = (value = 0): number => (Number.isFinite(value) ? value : 0);

/** Drops connections from or to nodes that do not exist. */
function readConnections(raw: unknown, names: Set<string>): Connections {
  const connections: Connections = {};
  if (!isObject(raw)) return connections;
  for (const [source, kinds] of Object.entries(raw)) {
    if (!names.has(source) || !isObject(kinds)) continue;
    const connectionsByKind: Record<string, (Connection[] | null)[]> = {};
    for (const [kind, outputs] of Object.entries(kinds)) {
      if (!Array.isArray(outputs)) continue;
      connectionsByKind[kind] = outputs.map((targets) =>
        Array.isArray(targets) ? targets.flatMap((target) => readConnection(target, kind, names)) : null,
      );
    }
    connections[source] = connectionsByKind;
  }
  return connections;
}

function readConnection(raw: unknown, kind: string, names: Set<string>): Connection[] {
  if (!isObject(raw) || typeof raw.node !== 'string' || !names.has(raw.node)) return [];
  const index = numberOrNaN(raw.index ?? 0);
  return [
    {
      node: raw.node,
      type: typeof raw.type === 'string' ? raw.type : kind,
      index: Number.isInteger(index) && index >= 0 ? index : 0,
    },
  ];
}

/** Older exports hold the object as JSON text. */
function readStaticData(raw: unknown): Workflow['staticData'] {
  if (typeof raw === 'string') {
    try {
      return readStaticData(JSON.parse(raw));
    } catch {
      return {};
    }
  }
  return isObject(raw) ? (raw as Workflow['staticData']) : {};
}

function textOrEmpty(value: unknown): string {
  return typeof value === 'string' ? value : typeof value === 'number' ? String(value) : '';
}

function refuse(message: string): never {
  throw new ApiError(400, `This is not a workflow: ${message}`);
}
