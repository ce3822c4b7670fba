import type { Area, Graph, NodeId, NodeNamer } from '../graph/graph.ts';

/** The part of `GraphState` that the clipboard and the edits of groups use. */
export interface EditableGraph {
  readonly graph: Graph;
  readonly selection: ReadonlySet<NodeId>;
  /** The id of the selected group. */
  readonly selectedGroup: string | undefined;
  areaOf(id: NodeId): Area;
  /** Names new nodes. */
  namer(): NodeNamer;
  /** Replaces the graph; edits with the same key that follow each other soon are undone together. */
  edit(graph: Graph, key?: string): void;
  delete(ids: ReadonlySet<NodeId>): void;
  select(ids: Iterable<NodeId>): void;
  selectGroup(id: string | undefined): void;
  /** Fires `change`. */
  changed(): void;
}
