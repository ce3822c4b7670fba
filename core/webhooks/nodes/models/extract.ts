import { isObject } from '#core/base';
import type { NodeContext } from '../../node-api/node-context.ts';
import { NodeError } from '../../node-api/node-error.ts';
import type { NodeType } from '../../node-api/node-type.ts';
import { perItem } from '../../node-api/per-item.ts';
import { jsonText, text } from '../shared/parameters.ts';
import { parseJsonParameter } from '../shared/parse-json.ts';
import { modelParameter } from './request-models.ts';
import { requestStructuredAnswer } from './structured-answer.ts';
import { requireText, textParameter } from './text-parameter.ts';

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
  description: 'Reads fields from a text. The result always follows the JSON schema.',
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
      description: 'The fields to read. The model sees their names, so choose names that say what they hold.',
    }),
    modelParameter,
    text('instruction', 'Instruction', {
      default: 'Extract the requested fields from the text. Use only what the text says.',
      rows: 2,
    }),
  ],
  execute: (context) =>
    perItem(context, async (item, index) => {
      const answer = await requestStructuredAnswer(context, index, {
        text: await requireText(context, item, index),
        schema: await readSchema(context, index),
        instruction: String(await context.parameter('instruction', index)),
      });
      return { json: isObject(answer) ? answer : { data: answer } };
    }),
};

async function readSchema(context: NodeContext, index: number): Promise<object> {
  const schema = parseJsonParameter(
    await context.parameter('schema', index),
    (reason) => `The JSON schema is not JSON: ${reason}`,
    { itemIndex: index },
  );
  if (isObject(schema)) return schema;
  throw new NodeError('The JSON schema must be an object', { itemIndex: index });
}
