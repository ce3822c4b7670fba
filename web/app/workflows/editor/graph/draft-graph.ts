/** Converts workflows to graphs of the graph editor and back. Node ids are the names of the workflow's nodes. */
import {
  type Graph,
  type GraphNode,
  type Group,
  type Link,
  linkId,
  type NodeId,
} from '#web/app/graph-editor/graph/graph.ts';
import { groupsOf } from '#web/app/graph-editor/graph/group.ts';
import type { ExactJsonObject } from '#web/app/graph-editor/graph/value.ts';
import type { Connection, Connections, NodeInfo, WorkflowDraft, WorkflowNode } from '../../api-types.ts';
import { renameNode, uniqueNodeName } from '../draft.ts';
import { newNote, noteToGroup, STICKY_NOTE, updateNote } from './sticky-notes.ts';

/** Unchanged nodes keep their graph objects, which lets the editor skip rendering them. */
const nodeCache = new WeakMap<WorkflowNode, GraphNode>();
const groupCache = new WeakMap<WorkflowNode, Group>();

/** @param former the previous graph, whose links are reused */
export function draftToGraph(draft: WorkflowDraft, former?: Graph): Graph {
  const formerLinks = new Map(former?.links.map((link) => [linkId(link), link]));
  const shown = draft.nodes.filter(({ type }) => type !== STICKY_NOTE);
  const names = new Set(shown.map(({ name }) => name));
  const links = Object.entries(draft.connections).flatMap(([from, { main = [] }]) =>
    main.flatMap((targets, output) =>
      (targets ?? []).flatMap(({ node, index }): Link[] => {
        if (!names.has(from) || !names.has(node)) return [];
        const link = { from, output, to: node, input: String(index) };
        return [formerLinks.get(linkId(link)) ?? link];
      }),
    ),
  );
  return {
    nodes: new Map(shown.map((node) => [node.name, cached(nodeCache, node, toGraphNode)])),
    links,
    groups: draft.nodes
      .filter(({ type }) => type === STICKY_NOTE)
      .map((node) => cached(groupCache, node, noteToGroup)),
  };
}

function cached<T>(cache: WeakMap<WorkflowNode, T>, node: WorkflowNode, make: (node: WorkflowNode) => T): T {
  const value = cache.get(node) ?? make(node);
  cache.set(node, value);
  return value;
}

function toGraphNode(node: WorkflowNode): GraphNode {
  const { id: _, name, position, disabled, ...rest } = node;
  return {
    id: name,
    title: name,
    type: node.type,
    x: Math.round(position[0]),
    y: Math.round(position[1]),
    values: {},
    ...(disabled && { mode: 'bypassed' as const }),
    // The editor copies these fields along with the node.
    extraFields: JSON.parse(JSON.stringify(rest)) as ExactJsonObject,
  };
}

/**
 * Applies an edit of the graph to the workflow.
 * @param before the graph of `draft`
 */
export function applyGraphEdit(
  draft: WorkflowDraft,
  before: Graph,
  after: Graph,
  types: ReadonlyMap<string, NodeInfo>,
): WorkflowDraft {
  let next = { ...draft, nodes: changedNodes(draft, before, after, types) };
  next = { ...next, connections: changedConnections(draft.connections, before, after) };
  for (const { id, title } of after.nodes.values())
    if (before.nodes.has(id) && title !== undefined && title !== id) next = renameNode(next, id, title);
  return next;
}

function changedNodes(
  draft: WorkflowDraft,
  before: Graph,
  after: Graph,
  types: ReadonlyMap<string, NodeInfo>,
): WorkflowNode[] {
  const notes = new Map(groupsOf(after).map((group) => [group.id, group]));
  const formerNotes = new Map(groupsOf(before).map((group) => [group.id, group]));
  const remaining = draft.nodes.flatMap((node): WorkflowNode[] => {
    if (node.type === STICKY_NOTE) {
      const group = notes.get(node.name);
      return !group ? [] : group === formerNotes.get(node.name) ? [node] : [updateNote(node, group)];
    }
    const shown = after.nodes.get(node.name);
    if (!shown) return [];
    return shown === before.nodes.get(node.name) ? [node] : [changedNode(node, shown)];
  });
  const added = [...after.nodes.values()]
    .filter(({ id }) => !before.nodes.has(id))
    .map((node) => newNode(node, types));
  const named = { ...draft, nodes: [...remaining, ...added] };
  for (const group of notes.values())
    if (!formerNotes.has(group.id))
      named.nodes = [...named.nodes, newNote(uniqueNodeName(named, 'Sticky Note'), group)];
  return named.nodes;
}

function changedNode(node: WorkflowNode, { x, y, mode }: GraphNode): WorkflowNode {
  const isMoved = Math.round(node.position[0]) !== x || Math.round(node.position[1]) !== y;
  const { disabled, ...enabled } = node;
  const changed = mode === undefined ? (disabled ? enabled : node) : { ...node, disabled: true };
  return isMoved ? { ...changed, position: [x, y] } : changed;
}

function newNode(
  { id, type, x, y, mode, extraFields }: GraphNode,
  types: ReadonlyMap<string, NodeInfo>,
): WorkflowNode {
  // A copied webhook needs a path of its own.
  const { webhookId: _, ...copied } = (extraFields ?? {}) as Partial<WorkflowNode>;
  return {
    typeVersion: types.get(type)?.versions.at(-1) ?? 1,
    parameters: {},
    ...copied,
    id: crypto.randomUUID(),
    name: id,
    type,
    position: [x, y],
    ...(mode !== undefined && { disabled: true }),
  };
}

/** Applies changed links. Keeps connections of other types than `main`, and removes those of deleted nodes. */
function changedConnections(connections: Connections, before: Graph, after: Graph): Connections {
  const ids = new Set(after.links.map(linkId));
  const former = new Set(before.links.map(linkId));
  const isGone = (name: NodeId) => before.nodes.has(name) && !after.nodes.has(name);
  const changed: Connections = {};
  for (const [from, kinds] of Object.entries(connections)) {
    if (isGone(from)) continue;
    changed[from] = Object.fromEntries(
      Object.entries(kinds).map(([kind, outputs]) => [
        kind,
        outputs.map(
          (targets, output) =>
            targets?.filter(({ node, index }) => {
              if (isGone(node)) return false;
              const id = linkId({ from, output, to: node, input: String(index) });
              return kind !== 'main' || !former.has(id) || ids.has(id);
            }) ?? null,
        ),
      ]),
    );
  }
  for (const link of after.links) if (!former.has(linkId(link))) addConnection(changed, link);
  return changed;
}

function addConnection(connections: Connections, { from, output, to, input }: Link): void {
  const main = [...(connections[from]?.main ?? [])];
  while (main.length <= output) main.push([]);
  const target: Connection = { node: to, type: 'main', index: Number(input) };
  main[output] = [...(main[output] ?? []), target];
  connections[from] = { ...connections[from], main };
}
