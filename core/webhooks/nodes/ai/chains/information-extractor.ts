/** Reads facts from texts. */
import type { JsonSchema } from '../../../node-api/chat.ts';
import type { NodeContext } from '../../../node-api/node-context.ts';
import { NodeError } from '../../../node-api/node-error.ts';
import type { NodeType } from '../../../node-api/node-type.ts';
import { modelInput, rootNode } from '../describe.ts';
import { readSchema } from '../schema/schema-of-example.ts';
import { inBatches, readBatching } from './batches.ts';
import { connectedModel } from './connected-model.ts';
import rules from './prompts.json' with { type: 'json' };
import { schemaParser } from './schema-answer.ts';

interface Attribute {
  name?: string;
  type?: string;
  description?: string;
  required?: boolean;
}

export const informationExtractor: NodeType = rootNode('informationExtractor', {
  description: 'Reads facts from texts by a model.',
  subNodes: [modelInput],
  async execute(context) {
    const size = context.version >= 1.1 ? 5 : 1;
    const results = await inBatches(
      context,
      await readBatching(context, 'options.batching', size),
      (_, index) => extract(context, index),
    );
    return [
      results.map((result, item) =>
        'failed' in result ? result.failed : { json: { output: result.value }, pairedItem: { item } },
      ),
    ];
  },
});

async function extract(context: NodeContext, index: number): Promise<unknown> {
  const text = String((await context.parameter<unknown>('text', index)) ?? '');
  if (text.trim() === '') {
    throw new NodeError(`Text for item ${index} is not defined`, { itemIndex: index });
  }
  const model = await connectedModel(context, index);
  const parser = schemaParser(await ownSchema(context, index), index, model);
  const own = await context.parameter<string | undefined>('options.systemPromptTemplate', index);
  const answer = await model.ask({
    messages: [
      { role: 'system', content: `${own ?? rules.extract}\n${parser.instructions}` },
      { role: 'user', content: text },
    ],
  });
  return parser.parse(answer.text);
}

async function ownSchema(context: NodeContext, index: number): Promise<JsonSchema> {
  const type = await context.parameter('schemaType', index);
  if (type === 'fromAttributes') {
    const attributes = await context.parameter<Attribute[]>('attributes.attributes', index, []);
    if (!attributes || attributes.length === 0)
      throw new NodeError('At least one attribute must be specified');
    return attributeSchema(attributes);
  }
  const isExample = type === 'fromJson';
  const text = await context.parameter(isExample ? 'jsonSchemaExample' : 'inputSchema', index);
  return readSchema(text, { isExample, allRequired: context.version >= 1.2 });
}

function attributeSchema(attributes: Attribute[]): JsonSchema {
  const named = attributes.map(({ name = '', type = 'string', description = '' }) => [
    name,
    type === 'date' ? { type: 'string', format: 'date', description } : { type, description },
  ]);
  const required = attributes.filter((attribute) => attribute.required).map(({ name }) => name);
  return { type: 'object', properties: Object.fromEntries(named), ...(required.length > 0 && { required }) };
}
