/** Groups: titled frames. A node belongs to a group that contains the node's center, as in ComfyUI's editor. */
import type { Area, Graph, Group, NodeId } from './graph.ts';

/** Height of a group's title bar, in pixels. */
export const TITLE_HEIGHT = 34;
const PADDING = 24;
export const MIN_GROUP_SIZE = 80;

/** The frame of a group that contains all areas, with padding and title bar. */
export function frameAround(areas: readonly Area[]): Area {
  const left = Math.min(...areas.map(({ x }) => x));
  const top = Math.min(...areas.map(({ y }) => y));
  const right = Math.max(...areas.map(({ x, width }) => x + width));
  const bottom = Math.max(...areas.map(({ y, height }) => y + height));
  return {
    x: left - PADDING,
    y: top - PADDING - TITLE_HEIGHT,
    width: right - left + 2 * PADDING,
    height: bottom - top + 2 * PADDING + TITLE_HEIGHT,
  };
}

const containsCenter = (group: Area, { x, y, width, height }: Area): boolean => {
  const [middleX, middleY] = [x + width / 2, y + height / 2];
  return (
    middleX >= group.x &&
    middleX <= group.x + group.width &&
    middleY >= group.y &&
    middleY <= group.y + group.height
  );
};

export function membersOf(graph: Graph, group: Area, areaOf: (id: NodeId) => Area): NodeId[] {
  return [...graph.nodes.keys()].filter((id) => containsCenter(group, areaOf(id)));
}

/** The smaller groups whose center lies in `group`. */
export function nestedGroups(graph: Graph, group: Group): Group[] {
  const size = ({ width, height }: Area) => width * height;
  return groupsOf(graph).filter(
    (other) => other.id !== group.id && size(other) < size(group) && containsCenter(group, other),
  );
}

export const groupsOf = ({ groups }: Graph): readonly Group[] => groups ?? none;

const none: readonly Group[] = [];

/** A group id that is not in use. */
export function nextGroupId(graph: Graph): string {
  const taken = new Set(groupsOf(graph).map(({ id }) => id));
  let number = taken.size + 1;
  while (taken.has(`g${number}`)) number += 1;
  return `g${number}`;
}

export function withGroup(graph: Graph, group: Group): Graph {
  const groups = groupsOf(graph);
  const exists = groups.some(({ id }) => id === group.id);
  return {
    ...graph,
    groups: exists ? groups.map((each) => (each.id === group.id ? group : each)) : [...groups, group],
  };
}

export function withoutGroup(graph: Graph, id: string): Graph {
  return { ...graph, groups: groupsOf(graph).filter((group) => group.id !== id) };
}

/** The nodes of each group. A node in several groups counts for the smallest one only. */
export function nodesByGroup(graph: Graph, areaOf: (id: NodeId) => Area): Map<string, Set<NodeId>> {
  const clusters = new Map<string, Set<NodeId>>();
  const taken = new Set<NodeId>();
  const bySize = [...groupsOf(graph)].sort((a, b) => a.width * a.height - b.width * b.height);
  for (const group of bySize) {
    const members = membersOf(graph, group, areaOf).filter((id) => !taken.has(id));
    for (const id of members) taken.add(id);
    if (members.length > 0) clusters.set(group.id, new Set(members));
  }
  return clusters;
}
