import type { WorkflowDraft, WorkflowNode } from '../api-types.ts';

/** A node of the outline, which lists triggers first and each node before its targets. */
export interface OutlineEntry {
  node: WorkflowNode;
  /** Steps from a node without inputs. */
  depth: number;
  targets: { output: number; node: string; index: number }[];
}

export function outlineOf({
  nodes,
  connections,
}: Pick<WorkflowDraft, 'nodes' | 'connections'>): OutlineEntry[] {
  const byName = new Map(nodes.map((node) => [node.name, node]));
  const targetsOf = (name: string) =>
    (connections[name]?.main ?? []).flatMap((targets, output) =>
      (targets ?? []).map(({ node, index }) => ({ output, node, index })),
    );
  const targetNames = new Set(nodes.flatMap(({ name }) => targetsOf(name).map(({ node }) => node)));
  const entries: OutlineEntry[] = [];
  const seen = new Set<string>();
  const visit = (name: string, depth: number): void => {
    const node = byName.get(name);
    if (!node || seen.has(name)) return;
    seen.add(name);
    const targets = targetsOf(name);
    entries.push({ node, depth, targets });
    for (const target of targets) visit(target.node, depth + 1);
  };
  const shown = nodes
    .filter(({ type }) => type !== 'n8n-nodes-base.stickyNote')
    .sort((a, b) => a.position[1] - b.position[1] || a.position[0] - b.position[0]);
  for (const { name } of shown) if (!targetNames.has(name)) visit(name, 0);
  // Cycles without an entry.
  for (const { name } of shown) visit(name, 0);
  return entries;
}
