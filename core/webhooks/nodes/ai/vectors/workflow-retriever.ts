/** Finds documents by another workflow: each of its items is a document. */
import { isObject } from '#core/base';
import type { JsonObject } from '#core/workflow-format';
import type { NodeType } from '../../../node-api/node-type.ts';
import type { SubNodeContext } from '../../../node-api/sub-node-context.ts';
import type { Retriever } from '../../../node-api/sub-nodes.ts';
import { calledWorkflow } from '../../shared/called-workflow.ts';
import { subNode } from '../describe.ts';

export const workflowRetriever: NodeType = subNode('retrieverWorkflow', {
  description: 'Finds documents by another workflow.',
  supplies: 'ai_retriever',
  async supply(context, itemIndex): Promise<Retriever> {
    return {
      node: context.node.name,
      async find(query) {
        const json = { query, ...(await ownFields(context, itemIndex)) };
        const output = await context.callWorkflow(await calledWorkflow(context, itemIndex), [{ json }]);
        const items = output.find((list) => list && list.length > 0) ?? [];
        return items.map((item) => ({ pageContent: JSON.stringify(item.json), metadata: {} }));
      },
    };
  },
});

async function ownFields(context: SubNodeContext, itemIndex: number): Promise<JsonObject> {
  const fields = await context.parameter<unknown>('fields.values', itemIndex, []);
  if (!Array.isArray(fields)) return {};
  return Object.fromEntries(
    fields
      .filter(isObject)
      .map(({ name, type = 'stringValue', ...values }) => [String(name), values[String(type)]]),
  );
}
