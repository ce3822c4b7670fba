/** Sorts items by what their texts are about. */
import type { Item, NodeSettings } from '#core/workflow-format';
import type { JsonSchema } from '../../../node-api/chat.ts';
import type { NodeContext } from '../../../node-api/node-context.ts';
import { NodeError } from '../../../node-api/node-error.ts';
import type { NodeType } from '../../../node-api/node-type.ts';
import { modelInput, rootNode } from '../describe.ts';
import { inBatches, readBatching } from './batches.ts';
import { connectedModel } from './connected-model.ts';
import rules from './prompts.json' with { type: 'json' };
import { schemaParser } from './schema-answer.ts';

interface Category {
  category: string;
  description?: string;
}

interface Options {
  multiClass?: boolean;
  fallback?: string;
  systemPromptTemplate?: string;
  enableAutoFixing?: boolean;
}

export const textClassifier: NodeType = rootNode('textClassifier', {
  description: 'Sorts items by what their texts are about.',
  subNodes: [modelInput],
  outputs: (settings) => [
    ...storedCategories(settings).map(({ category }) => category),
    ...(settings.get('options.fallback') === 'other' ? ['Other'] : []),
  ],
  async execute(context) {
    const categories = await context.parameter<Category[]>('categories.categories', 0, []);
    if (!categories || categories.length === 0) throw new NodeError('At least one category must be defined');
    const options = (await context.parameter<Options>('options', 0, {})) ?? {};
    const size = context.version >= 1.1 ? 5 : 1;
    const results = await inBatches(
      context,
      await readBatching(context, 'options.batching', size),
      (item, index) => classify(context, { item, index }, categories),
    );
    const count = categories.length + (options.fallback === 'other' ? 1 : 0);
    const outputs: Item[][] = Array.from({ length: count }, () => []);
    for (const [index, result] of results.entries()) {
      if ('failed' in result) outputs[0]!.push(result.failed);
      else
        for (const output of result.value) outputs[output]?.push(pairedWith(context.items()[index]!, index));
    }
    return outputs;
  },
});

function storedCategories({ get }: NodeSettings): Category[] {
  const stored = get('categories.categories');
  return Array.isArray(stored) ? (stored as Category[]) : [];
}

function pairedWith(item: Item, index: number): Item {
  return { ...item, pairedItem: { item: index } };
}

/** The numbers of the outputs of an item. */
async function classify(
  context: NodeContext,
  { item, index }: { item: Item; index: number },
  categories: Category[],
): Promise<number[]> {
  const text = await context.parameter<unknown>('inputText', index);
  if (text === undefined || text === null || text === '') {
    throw new NodeError(`Text to classify for item ${index} is not defined`, { itemIndex: index });
  }
  const options = (await context.parameter<Options>('options', index, {})) ?? {};
  const model = await connectedModel(context, index);
  const hasOther = options.fallback === 'other';
  const parser = schemaParser(
    categorySchema(categories, hasOther),
    index,
    options.enableAutoFixing ? model : undefined,
  );
  const names = categories.map(({ category }) => category).join(', ');
  const rule = (options.systemPromptTemplate ?? rules.classify).replaceAll('{categories}', names);
  const content = `${rule}\n\t${parser.instructions}\n\t${options.multiClass ? rules.manyClasses : rules.oneClass}\n\t${hasOther ? rules.otherClass : rules.noClass}`;
  const answer = await model.ask({
    messages: [
      { role: 'system', content },
      { role: 'user', content: typeof text === 'string' ? text : JSON.stringify(text ?? item.json) },
    ],
  });
  const chosen = (await parser.parse(answer.text)) as Record<string, boolean>;
  const outputs = categories.flatMap(({ category }, output) => (chosen[category] ? [output] : []));
  return chosen.fallback && hasOther ? [...outputs, categories.length] : outputs;
}

function categorySchema(categories: Category[], hasOther: boolean): JsonSchema {
  const properties = Object.fromEntries(
    categories.map(({ category, description }) => [
      category,
      {
        type: 'boolean',
        description: `Should be true if the input has category "${category}"${description ? ` (description: ${description})` : ''}`,
      },
    ]),
  );
  if (hasOther) {
    properties.fallback = {
      type: 'boolean',
      description: 'Should be true if none of the other categories apply',
    };
  }
  return { type: 'object', properties, required: Object.keys(properties) };
}
