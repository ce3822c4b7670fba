import type { NodeContext } from '../../node-api/node-context.ts';
import { NodeError } from '../../node-api/node-error.ts';
import { chooseModel, requestModels } from './request-models.ts';

/** The same text always has the same answer. */
const DETERMINISTIC = { temperature: 0, seed: 1 };

/**
 * The parsed answer of a model that is restricted to JSON of the schema.
 * @throws NodeError for an answer that was cut off
 */
export async function requestStructuredAnswer(
  context: NodeContext,
  index: number,
  { instruction, text, schema }: { instruction: string; text: string; schema: object },
): Promise<unknown> {
  const answer = await requestModels(context, 'POST', '/api/chat', {
    model: await chooseModel(context, 'completion', index),
    stream: false,
    format: schema,
    options: { ...DETERMINISTIC },
    messages: [
      { role: 'system', content: instruction },
      { role: 'user', content: text },
    ],
  });
  const { content } = answer.message as { content: string };
  try {
    return JSON.parse(content);
  } catch (error) {
    throw new NodeError(
      answer.done_reason === 'length'
        ? 'The answer reached its maximum length before it was complete'
        : 'The model gave no complete answer',
      {
        itemIndex: index,
        description:
          'Ask for less, limit lengths in the schema (maxLength, maxItems), or use a larger model.',
        cause: error,
      },
    );
  }
}
