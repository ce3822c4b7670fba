/** Errors of sub-nodes as the node shows them that uses the sub-nodes. */
import { NodeError } from '../../../node-api/node-error.ts';
import { ModelError } from '../wire/model-request.ts';

/** The error for the record of the node. Errors that an author can understand stay as they are. */
export function rootError(error: unknown, itemIndex: number): unknown {
  if (error instanceof ModelError) {
    const { message, description, messages, isStatus, context } = error;
    if (isStatus) {
      return new NodeError(message, {
        ...(description !== undefined && { description }),
        ...(messages && { messages }),
      });
    }
    return new NodeError(message, { description: `Original error: ${context?.kind}`, itemIndex });
  }
  if (error instanceof NodeError || !(error instanceof Error)) return error;
  return new NodeError(error.message, {
    description: `Original error: ${error.name}`,
    itemIndex,
    cause: error,
  });
}
