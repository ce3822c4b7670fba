import { type Area, type Group, moveNodes, type NodeId } from '../graph/graph.ts';
import {
  frameAround,
  groupsOf,
  MIN_GROUP_SIZE,
  membersOf,
  nestedGroups,
  nextGroupId,
  withGroup,
  withoutGroup,
} from '../graph/group.ts';
import type { EditableGraph } from './editable-graph.ts';

/** Edits of groups: add, change, move, remove. */
export class GroupEdits {
  constructor(private readonly state: EditableGraph) {}

  get all(): readonly Group[] {
    return groupsOf(this.state.graph);
  }

  get(id: string | undefined): Group | undefined {
    return this.all.find((group) => group.id === id);
  }

  members(group: Group): NodeId[] {
    return membersOf(this.state.graph, group, (id) => this.state.areaOf(id));
  }

  /** Adds a group around nodes and selects it. Returns its id, or undefined without nodes. */
  add(title: string, ids: Iterable<NodeId> = this.state.selection): string | undefined {
    const { state } = this;
    const areas = [...ids].map((id) => state.areaOf(id));
    if (areas.length === 0) return undefined;
    const before = new Set(this.all.map(({ id }) => id));
    state.edit(withGroup(state.graph, { id: nextGroupId(state.graph), title, ...frameAround(areas) }));
    // The undo stack of workflows gives groups other ids.
    const id = this.all.find(({ id }) => !before.has(id))?.id;
    this.select(id);
    return id;
  }

  select(id: string | undefined): void {
    this.state.selectGroup(id);
  }

  /** Changes a group. Changes with the same `key` that follow each other soon become one undo step. */
  change(id: string, change: Partial<Omit<Group, 'id'>>, key?: string): void {
    const group = this.get(id);
    if (!group) return;
    const next = { ...group, ...change };
    next.width = Math.max(MIN_GROUP_SIZE, next.width);
    next.height = Math.max(MIN_GROUP_SIZE, next.height);
    this.state.edit(withGroup(this.state.graph, next), key);
  }

  /** Removes a group. Its nodes stay. */
  remove(id: string): void {
    if (this.get(id)) this.state.edit(withoutGroup(this.state.graph, id));
  }

  /** Moves a group by `x` and `y` pixels, with its nodes and nested groups. */
  move(id: string, x: number, y: number, key?: string): void {
    const { state } = this;
    const group = this.get(id);
    if (!group || (x === 0 && y === 0)) return;
    const places = new Map(
      this.members(group).flatMap((member) => {
        const node = state.graph.nodes.get(member);
        return node ? [[member, { x: node.x + x, y: node.y + y }] as const] : [];
      }),
    );
    let graph = moveNodes(state.graph, places);
    for (const each of [group, ...nestedGroups(state.graph, group)])
      graph = withGroup(graph, { ...each, x: each.x + x, y: each.y + y });
    state.edit(graph, key);
  }

  /** Resizes a group to its nodes, or to `ids`. */
  fit(id: string, ids?: Iterable<NodeId>): void {
    const group = this.get(id);
    if (!group) return;
    const areas = [...(ids ?? this.members(group))].map((member): Area => this.state.areaOf(member));
    if (areas.length > 0) this.change(id, frameAround(areas));
  }
}
