import { errorMessage } from '#core/base';
import type { Item } from '#core/workflow-format';
import type { NodeContext } from '../../node-api/node-context.ts';
import type { NodeType } from '../../node-api/node-type.ts';
import { failedItem } from '../../node-api/per-item.ts';
import { askModels, modelFor, modelParameter } from './ask-models.ts';
import { textOf, textParameter } from './text-parameter.ts';

export const embed: NodeType = {
  name: 'tabd.embed',
  label: 'Embed',
  description: 'Turns texts into vectors: near in meaning is near in space.',
  group: 'model',
  versions: [1],
  inputs: 1,
  outputs: ['main'],
  parameters: [textParameter, modelParameter],
  async execute(context) {
    const items = context.items();
    const made: Item[] = [];
    const texts: { index: number; text: string }[] = [];
    for (const [index, item] of items.entries()) {
      try {
        texts.push({ index, text: await textOf(context, item, index) });
      } catch (error) {
        made[index] = failedItem(context, error, index);
      }
    }
    // All at once: the model takes many texts in the time of a few.
    const vectors = texts.length > 0 ? await vectorsOf(context, texts) : [];
    for (const [at, { index }] of texts.entries()) {
      const vector = vectors[at]!;
      made[index] =
        vector instanceof Error
          ? failedItem(context, vector, index)
          : {
              ...items[index]!,
              json: { ...items[index]!.json, embedding: vector },
              pairedItem: { item: index },
            };
    }
    return [made];
  },
};

async function vectorsOf(
  context: NodeContext,
  texts: { index: number; text: string }[],
): Promise<(number[] | Error)[]> {
  try {
    const answer = await askModels(context, 'POST', '/api/embed', {
      model: await modelFor(context, 'embedding', texts[0]!.index),
      input: texts.map(({ text }) => text),
    });
    return answer.embeddings as number[][];
  } catch (error) {
    if (!context.continueOnFail) throw error;
    return texts.map(() => (error instanceof Error ? error : new Error(errorMessage(error))));
  }
}
