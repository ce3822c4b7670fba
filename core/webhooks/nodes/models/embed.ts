import { errorMessage } from '#core/base';
import type { Item } from '#core/workflow-format';
import type { NodeContext } from '../../node-api/node-context.ts';
import type { NodeType } from '../../node-api/node-type.ts';
import { failedItem } from '../../node-api/per-item.ts';
import { chooseModel, modelParameter, requestModels } from './request-models.ts';
import { requireText, textParameter } from './text-parameter.ts';

export const embed: NodeType = {
  name: 'tabd.embed',
  label: 'Embed',
  description: 'Turns texts into vectors. Texts with similar meanings have similar vectors.',
  group: 'model',
  versions: [1],
  inputs: 1,
  outputs: ['main'],
  parameters: [textParameter, modelParameter],
  async execute(context) {
    const items = context.items();
    const output: Item[] = [];
    const texts: ItemText[] = [];
    for (const [index, item] of items.entries()) {
      try {
        texts.push({ index, text: await requireText(context, item, index) });
      } catch (error) {
        output[index] = failedItem(context, error, index);
      }
    }
    // One request for all: the model embeds many texts in the time of a few.
    const vectors = texts.length > 0 ? await embedTexts(context, texts) : [];
    for (const [position, { index }] of texts.entries()) {
      const vector = vectors[position]!;
      const item = items[index]!;
      output[index] =
        vector instanceof Error
          ? failedItem(context, vector, index)
          : { ...item, json: { ...item.json, embedding: vector }, pairedItem: { item: index } };
    }
    return [output];
  },
};

interface ItemText {
  /** The item's index. */
  index: number;
  text: string;
}

/** A vector for each text. Where the node continues after errors, a failed request is an error for each. */
async function embedTexts(context: NodeContext, texts: ItemText[]): Promise<(number[] | Error)[]> {
  try {
    const answer = await requestModels(context, 'POST', '/api/embed', {
      model: await chooseModel(context, 'embedding', texts[0]!.index),
      input: texts.map(({ text }) => text),
    });
    return answer.embeddings as number[][];
  } catch (error) {
    if (!context.continueOnFail) throw error;
    return texts.map(() => (error instanceof Error ? error : new Error(errorMessage(error))));
  }
}
