import type { NodeType } from '../../node-api/node-type.ts';
import { perItem } from '../../node-api/per-item.ts';
import { number, options, text } from '../shared/parameters.ts';
import { chooseModel, modelParameter, requestModels } from './request-models.ts';
import { requireText, textParameter } from './text-parameter.ts';

interface Options {
  systemMessage?: string;
  temperature?: number;
  maxTokens?: number;
}

export const chat: NodeType = {
  name: 'tabd.chat',
  label: 'Chat',
  description: 'Answers a text by a model of this server.',
  group: 'model',
  versions: [1],
  inputs: 1,
  outputs: ['main'],
  parameters: [
    textParameter,
    modelParameter,
    options({
      fields: [
        text('systemMessage', 'System Message', {
          rows: 3,
          description: 'The role of the model, and how it should answer.',
        }),
        number('temperature', 'Temperature', 0.8, {
          minimum: 0,
          description: '0 chooses the most likely words; higher values choose less likely ones.',
        }),
        number('maxTokens', 'Maximum Length', 1024, {
          minimum: 1,
          description: 'Tokens (about three quarters of a word each) after which the answer ends.',
        }),
      ],
    }),
  ],
  execute: (context) =>
    perItem(context, async (item, index) => {
      const text = await requireText(context, item, index);
      const { systemMessage, temperature, maxTokens } = await context.parameter<Options>(
        'options',
        index,
        {},
      );
      const answer = await requestModels(context, 'POST', '/api/chat', {
        model: await chooseModel(context, 'completion', index),
        stream: false,
        messages: [
          ...(systemMessage ? [{ role: 'system', content: systemMessage }] : []),
          { role: 'user', content: text },
        ],
        options: {
          ...(temperature !== undefined && { temperature: Number(temperature) }),
          ...(maxTokens !== undefined && { num_predict: Number(maxTokens) }),
        },
      });
      const { content, thinking } = answer.message as { content: string; thinking?: string };
      return { json: { text: content, ...(thinking && { thinking }), model: answer.model } };
    }),
};
