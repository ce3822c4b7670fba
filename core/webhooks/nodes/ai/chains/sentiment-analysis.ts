/** Sorts items by the mood of their texts. */
import type { Item, NodeSettings } from '#core/workflow-format';
import type { JsonSchema } from '../../../node-api/chat.ts';
import type { NodeContext } from '../../../node-api/node-context.ts';
import { NodeError } from '../../../node-api/node-error.ts';
import type { NodeType } from '../../../node-api/node-type.ts';
import { modelInput, rootNode } from '../describe.ts';
import { ParseError } from '../parsers/parse-error.ts';
import { inBatches, readBatching } from './batches.ts';
import { connectedModel } from './connected-model.ts';
import rules from './prompts.json' with { type: 'json' };
import { schemaParser } from './schema-answer.ts';

interface Options {
  categories?: string;
  systemPromptTemplate?: string;
  includeDetailedResults?: boolean;
  enableAutoFixing?: boolean;
}

interface Sentiment {
  sentiment: string;
  strength: number;
  confidence: number;
}

const DEFAULT_CATEGORIES = 'Positive, Neutral, Negative';

export const sentimentAnalysis: NodeType = rootNode('sentimentAnalysis', {
  description: 'Sorts items by the mood of their texts.',
  subNodes: [modelInput],
  outputs: ({ get }: NodeSettings) => categoriesOf(get('options.categories')),
  async execute(context) {
    const first = (await context.parameter<Options>('options', 0, {})) ?? {};
    const outputs: Item[][] = categoriesOf(first.categories).map(() => []);
    const size = context.version >= 1.1 ? 5 : 1;
    const results = await inBatches(
      context,
      await readBatching(context, 'options.batching', size),
      (item, index) => analyze(context, item, index),
    );
    for (const result of results) {
      if ('failed' in result) outputs[0]?.push(result.failed);
      else outputs[result.value.output]?.push(result.value.item);
    }
    return outputs;
  },
});

function categoriesOf(text: unknown): string[] {
  const names = String(text || DEFAULT_CATEGORIES)
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
  return names.length > 0 ? names : ['main'];
}

async function analyze(
  context: NodeContext,
  item: Item,
  index: number,
): Promise<{ output: number; item: Item }> {
  const text = await context.parameter<unknown>('inputText', index);
  if (text === undefined || text === null || text === '') {
    throw new NodeError(`Text to analyze for item ${index} is not defined`, { itemIndex: index });
  }
  const options = (await context.parameter<Options>('options', index, {})) ?? {};
  const categories = categoriesOf(options.categories);
  const model = await connectedModel(context, index);
  const parser = schemaParser(
    sentimentSchema(categories),
    index,
    options.enableAutoFixing ? model : undefined,
  );
  const rule = (options.systemPromptTemplate ?? rules.sentiment).replaceAll(
    '{categories}',
    options.categories || DEFAULT_CATEGORIES,
  );
  const answer = await model.ask({
    messages: [
      { role: 'system', content: `${rule}\n\t\t\t\t${parser.instructions}` },
      { role: 'user', content: String(text) },
    ],
  });
  const { sentiment, strength, confidence } = await read(() => parser.parse(answer.text), index);
  const details = options.includeDetailedResults ? { strength, confidence } : {};
  return {
    output: categories.indexOf(sentiment),
    item: {
      ...item,
      json: { ...item.json, sentimentAnalysis: { category: sentiment, ...details } },
      pairedItem: { item: index },
    },
  };
}

async function read(parse: () => Promise<unknown>, itemIndex: number): Promise<Sentiment> {
  try {
    return (await parse()) as Sentiment;
  } catch (error) {
    if (!(error instanceof ParseError)) throw error;
    throw new NodeError('Error during parsing of LLM output, please check your LLM model and configuration', {
      itemIndex,
    });
  }
}

function sentimentSchema(categories: string[]): JsonSchema {
  const share = { type: 'number', minimum: 0, maximum: 1 };
  return {
    type: 'object',
    properties: {
      sentiment: { type: 'string', enum: categories },
      strength: { ...share, description: 'Strength score for sentiment in relation to the category' },
      confidence: share,
    },
    required: ['sentiment', 'strength', 'confidence'],
  };
}
