/** Small workflows for tests. */

import { readWorkflow, type Workflow, type WorkflowNode } from '#core/workflow-format';

type Node = Partial<WorkflowNode> & { type: string };

/**
 * @param nodes by name; a type without a dot is one of `n8n-nodes-base`
 * @param edges `A -> B`, `If:1 -> Merge:1` (output, input)
 */
export function workflowOf(
  nodes: Record<string, Node>,
  edges: string[],
  more: Partial<Workflow> = {},
): Workflow {
  const listed = Object.entries(nodes).map(([name, node], index) => ({
    name,
    typeVersion: 1,
    position: [index * 100, 0],
    parameters: {},
    ...node,
    type: node.type.includes('.') ? node.type : `n8n-nodes-base.${node.type}`,
  }));
  const connections: Record<string, { main: { node: string; type: string; index: number }[][] }> = {};
  for (const edge of edges) {
    const [from, to] = edge.split('->').map((end) => end.trim()) as [string, string];
    const [source, output = '0'] = from.split(':') as [string, string?];
    const [node, input = '0'] = to.split(':') as [string, string?];
    connections[source] ??= { main: [] };
    const { main } = connections[source];
    while (main.length <= Number(output)) main.push([]);
    main[Number(output)]!.push({ node, type: 'main', index: Number(input) });
  }
  return readWorkflow({
    id: 'w1',
    name: 'Test',
    active: true,
    settings: { executionOrder: 'v1' },
    ...more,
    nodes: listed,
    connections,
  });
}

/** The fields of a workflow that clients of the control API send. */
export const sentWorkflow = ({ name, nodes, connections, settings }: Workflow) => ({
  name,
  nodes,
  connections,
  settings,
});

/** A Set node (newest version) that keeps the item's fields and adds `fields`. */
export function setFields(fields: Record<string, unknown>, keep = true): Node {
  const assignments = Object.entries(fields).map(([name, value]) => ({
    name,
    value,
    type: typeof value === 'number' ? 'number' : Array.isArray(value) ? 'array' : 'string',
  }));
  return {
    type: 'set',
    typeVersion: 3.4,
    parameters: { assignments: { assignments }, includeOtherFields: keep },
  };
}

/** A Code node. */
export function codeNode(jsCode: string, mode = 'runOnceForAllItems'): Node {
  return { type: 'code', typeVersion: 2, parameters: { jsCode, mode } };
}

/** An If node (newest version) with one condition over numbers. */
export function ifNumber(leftValue: string, operation: string, rightValue: number): Node {
  const conditions = {
    options: { typeValidation: 'strict' },
    combinator: 'and',
    conditions: [{ leftValue, rightValue, operator: { type: 'number', operation } }],
  };
  return { type: 'if', typeVersion: 2.2, parameters: { conditions } };
}
