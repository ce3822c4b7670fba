import { nodeSettings, type Workflow, WorkflowGraph } from '#core/workflow-format';
import type { NodeType } from '../../node-api/node-type.ts';

/** Whether further pages follow the trigger. */
export function hasFormPages(
  workflow: Workflow,
  trigger: string,
  { nodeType }: { nodeType(name: string): NodeType | undefined },
): boolean {
  const graph = new WorkflowGraph(workflow);
  return [...graph.descendants(trigger)].some((name) => {
    const node = graph.node(name);
    if (!node || node.disabled) return false;
    if (node.type === 'n8n-nodes-base.form') return true;
    if (node.type !== 'n8n-nodes-base.wait') return false;
    return nodeSettings(nodeType(node.type), node).get('resume') === 'form';
  });
}
