import { isObject } from '#core/base';
import { NodeError } from '../../node-api/node-error.ts';
import type { NodeType } from '../../node-api/node-type.ts';
import { choice, jsonText, text } from '../shared/parameters.ts';
import { parseJsonParameter } from '../shared/parse-json.ts';

export const stopAndError: NodeType = {
  name: 'n8n-nodes-base.stopAndError',
  label: 'Stop and Error',
  description: 'Fails the workflow with an error of your own.',
  group: 'flow',
  versions: [1],
  inputs: 1,
  outputs: [],
  parameters: [
    choice('errorType', 'Error Type', 'errorMessage', {
      options: { errorMessage: 'Error Message', errorObject: 'Error Object' },
    }),
    text('errorMessage', 'Error Message', {
      required: true,
      placeholder: 'An error occurred!',
      show: { errorType: ['errorMessage'] },
    }),
    jsonText('errorObject', 'Error Object', {
      required: true,
      placeholder: '{ "code": 404, "message": "Not found" }',
      show: { errorType: ['errorObject'] },
    }),
  ],
  async execute(context) {
    if ((await context.parameter('errorType', 0)) === 'errorMessage') {
      throw new NodeError(String(await context.parameter('errorMessage', 0)));
    }
    const error = parseJsonParameter(
      await context.parameter('errorObject', 0),
      'The error object is not valid JSON',
    );
    if (!isObject(error)) throw new NodeError('The error object must be a JSON object');
    throw new NodeError(messageOf(error), {
      ...(typeof error.description === 'string' && { description: error.description }),
      json: error,
    });
  },
};

function messageOf(error: Record<string, unknown>): string {
  for (const key of ['message', 'description', 'error']) {
    if (typeof error[key] === 'string') return error[key];
  }
  return `Error: ${JSON.stringify(error)}`;
}
