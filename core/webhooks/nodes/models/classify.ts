import { NodeError } from '../../node-api/node-error.ts';
import type { NodeType } from '../../node-api/node-type.ts';
import { perItem } from '../../node-api/per-item.ts';
import { commaList } from '../shared/comma-list.ts';
import { text } from '../shared/parameters.ts';
import { modelParameter } from './request-models.ts';
import { requestStructuredAnswer } from './structured-answer.ts';
import { requireText, textParameter } from './text-parameter.ts';

export const classify: NodeType = {
  name: 'tabd.classify',
  label: 'Classify',
  description: 'Puts a text into one of several categories.',
  group: 'model',
  versions: [1],
  inputs: 1,
  outputs: ['main'],
  parameters: [
    textParameter,
    text('categories', 'Categories', {
      default: 'positive, neutral, negative',
      required: true,
      description: 'Separated by commas. The answer is always one of them, so Switch can branch on it.',
    }),
    modelParameter,
    text('instruction', 'Instruction', { default: 'Choose the category that fits the text best.', rows: 2 }),
  ],
  execute: (context) =>
    perItem(context, async (item, index) => {
      const categories = [...new Set(commaList(await context.parameter('categories', index)))];
      if (categories.length < 2) {
        throw new NodeError('There must be at least two different categories', { itemIndex: index });
      }
      const instruction = String(await context.parameter('instruction', index));
      const answer = await requestStructuredAnswer(context, index, {
        text: await requireText(context, item, index),
        instruction: `${instruction} The categories are: ${categories.join(', ')}.`,
        schema: {
          type: 'object',
          properties: { category: { type: 'string', enum: categories } },
          required: ['category'],
        },
      });
      const { category } = answer as { category: string };
      return { ...item, json: { ...item.json, category }, pairedItem: { item: index } };
    }),
};
