/** The vector store of this server itself, kept with the workflows. */
import type { NodeType } from '../../../node-api/node-type.ts';
import { chosenValue } from './chosen-value.ts';
import { MemoryStore } from './memory-store.ts';
import { vectorStoreNode } from './vector-store-node.ts';

export const memoryVectorStore: NodeType = vectorStoreNode({
  name: 'vectorStoreInMemory',
  description: 'Keeps texts with their vectors, and finds the most similar ones.',
  isPerItem: false,
  withStores: (context, work) =>
    work(async (itemIndex) => {
      const name = (await chosenValue(context, 'memoryKey', itemIndex)) ?? 'vector_store_key';
      const clear = (await context.parameter('clearStore', itemIndex, false)) === true;
      // Before version 1.2 each workflow has keys of its own.
      const key = context.version < 1.2 ? `${context.workflow.id}__${name}` : name;
      return new MemoryStore(context.storage, key, { clear });
    }),
});
