import { isObject } from '#core/base';
import type { NodeContext } from '../../node-api/node-context.ts';
import { NodeError } from '../../node-api/node-error.ts';
import type { NodeType } from '../../node-api/node-type.ts';
import { perItem } from '../../node-api/per-item.ts';
import { jsonText, text } from '../shared/parameters.ts';
import { modelParameter } from './ask-models.ts';
import { askForStructure } from './structured-answer.ts';
import { textOf, textParameter } from './text-parameter.ts';

const EXAMPLE = {
  type: 'object',
  properties: {
    title: { type: 'string', maxLength: 80 },
    summary: { type: 'string', maxLength: 400 },
  },
  required: ['title', 'summary'],
};

export const extract: NodeType = {
  name: 'tabd.extract',
  label: 'Extract Structured Data',
  description: 'Reads fields out of a text, by a JSON schema that the answer always follows.',
  group: 'model',
  versions: [1],
  inputs: 1,
  outputs: ['main'],
  parameters: [
    textParameter,
    jsonText('schema', 'JSON Schema', {
      default: JSON.stringify(EXAMPLE, null, 2),
      required: true,
      rows: 10,
      description: 'What to read: the names of the fields are told to the model, so name them well.',
    }),
    modelParameter,
    text('instruction', 'Instruction', {
      default: 'Extract the requested fields from the text. Use only what the text says.',
      rows: 2,
    }),
  ],
  execute: (context) =>
    perItem(context, async (item, index) => {
      const found = await askForStructure(context, index, {
        text: await textOf(context, item, index),
        schema: await schemaOf(context, index),
        instruction: String(await context.parameter('instruction', index)),
      });
      return { json: isObject(found) ? found : { data: found } };
    }),
};

async function schemaOf(context: NodeContext, index: number): Promise<object> {
  const given = await context.parameter('schema', index);
  let schema: unknown = given;
  if (typeof given === 'string') {
    try {
      schema = JSON.parse(given);
    } catch (error) {
      throw new NodeError(`The JSON schema is not JSON: ${(error as Error).message}`, { itemIndex: index });
    }
  }
  if (isObject(schema)) return schema;
  throw new NodeError('The JSON schema must be an object', { itemIndex: index });
}
