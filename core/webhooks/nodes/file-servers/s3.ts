/** Buckets and files of S3 and of compatible servers. */

import type { Item } from '#core/workflow-format';
import type { NodeContext } from '../../node-api/node-context.ts';
import { NodeError } from '../../node-api/node-error.ts';
import type { NodeType } from '../../node-api/node-type.ts';
import { failedItem } from '../../node-api/per-item.ts';
import { s3Operations } from './s3/operations.ts';
import { s3Parameters } from './s3/parameters.ts';
import { openS3 } from './s3/requests.ts';

export const s3: NodeType = {
  name: 'n8n-nodes-base.s3',
  label: 'S3',
  description: 'Reads and writes files of servers that are compatible with S3.',
  group: 'network',
  versions: [1],
  inputs: 1,
  outputs: ['main'],
  credentials: [{ type: 's3', required: true }],
  parameters: s3Parameters,
  execute: (context) => run(context, 's3'),
};

export const awsS3: NodeType = {
  ...s3,
  name: 'n8n-nodes-base.awsS3',
  label: 'AWS S3',
  description: 'Reads and writes files of Amazon S3.',
  versions: [1, 2],
  credentials: [{ type: 'aws', required: true }],
  execute: (context) => run(context, 'aws'),
};

async function run(context: NodeContext, credential: 's3' | 'aws') {
  const name = `${context.literal<string>('resource')}.${context.literal<string>('operation')}`;
  const operation = Object.hasOwn(s3Operations, name) ? s3Operations[name] : undefined;
  if (!operation) throw new NodeError(`S3 has no operation "${name}" here`);
  const client = openS3(context, await context.credential(credential));
  const items: Item[] = [];
  for (const [index, item] of context.items().entries()) {
    context.signal.throwIfAborted();
    try {
      const results = await operation({ context, client, item, index });
      items.push(...results.map((next) => ({ ...next, pairedItem: { item: index } })));
    } catch (error) {
      items.push(failedItem(context, error, index));
    }
  }
  return [items];
}
