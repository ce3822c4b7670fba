import type { NodeContext } from '../../node-api/node-context.ts';
import { NodeError } from '../../node-api/node-error.ts';
import { askModels, modelFor } from './ask-models.ts';

/** Deterministic: the same text gives the same answer. */
const SAMPLING = { temperature: 0, seed: 1 };

/** An answer that follows `schema`, from a model that can write nothing else. Throws `NodeError`. */
export async function askForStructure(
  context: NodeContext,
  index: number,
  ask: { instruction: string; text: string; schema: object },
): Promise<unknown> {
  const answer = await askModels(context, 'POST', '/api/chat', {
    model: await modelFor(context, 'completion', index),
    stream: false,
    format: ask.schema,
    options: { ...SAMPLING },
    messages: [
      { role: 'system', content: ask.instruction },
      { role: 'user', content: ask.text },
    ],
  });
  const { content } = answer.message as { content: string };
  try {
    return JSON.parse(content);
  } catch (error) {
    throw new NodeError(
      answer.done_reason === 'length'
        ? 'The answer became too long to be finished'
        : 'The model gave no complete answer',
      {
        itemIndex: index,
        description:
          'Ask for less, bound lengths in the schema (maxLength, maxItems), or use a larger model.',
        cause: error,
      },
    );
  }
}
