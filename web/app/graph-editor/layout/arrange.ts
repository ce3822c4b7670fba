import { type Area, type Graph, moveNodes, type NodeId } from '../graph/graph.ts';
import { clustersOf, frameAround, groupsIn, groupsOf, withGroup } from '../graph/group.ts';
import { arrange } from './place-nodes.ts';

/** Arranges nodes; groups keep what is in them, and are as large as that needs. */
export function arrangeInGroups(graph: Graph, areaOf: (id: NodeId) => Area): Graph {
  const clusters = clustersOf(graph, areaOf);
  let arranged = moveNodes(graph, arrange(graph, areaOf, clusters.values()));
  for (const group of groupsOf(graph)) {
    const inside = [group, ...groupsIn(graph, group)].flatMap(({ id }) => [...(clusters.get(id) ?? [])]);
    const areas = inside.map((id) => {
      const { x, y } = arranged.nodes.get(id)!;
      return { ...areaOf(id), x, y };
    });
    if (areas.length > 0) arranged = withGroup(arranged, { ...group, ...frameAround(areas) });
  }
  return arranged;
}
