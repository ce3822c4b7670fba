import { type Area, type Graph, moveNodes, type NodeId } from '../graph/graph.ts';
import { frameAround, groupsOf, nestedGroups, nodesByGroup, withGroup } from '../graph/group.ts';
import { placeNodes } from './place-nodes.ts';

/** Lays out a graph. Nodes stay in their groups, which are resized to fit. */
export function arrangeGraph(graph: Graph, areaOf: (id: NodeId) => Area): Graph {
  const clusters = nodesByGroup(graph, areaOf);
  let arranged = moveNodes(graph, placeNodes(graph, areaOf, clusters.values()));
  for (const group of groupsOf(graph)) {
    const inside = [group, ...nestedGroups(graph, group)].flatMap(({ id }) => [...(clusters.get(id) ?? [])]);
    const areas = inside.map((id) => {
      const { x, y } = arranged.nodes.get(id)!;
      return { ...areaOf(id), x, y };
    });
    if (areas.length > 0) arranged = withGroup(arranged, { ...group, ...frameAround(areas) });
  }
  return arranged;
}
