/** Answers of models that do not have the asked form. */
import { NodeError } from '../../../node-api/node-error.ts';

const ON_ERROR =
  "To continue the execution when this happens, change the 'On Error' parameter in the root node's settings";

/** The answer could not be read. */
export class ParseError extends NodeError {
  override name = 'NodeOperationError';
  /** The fault in words for a model that should correct the answer. */
  readonly advice: string;
  constructor(
    message: string,
    options: { reason: string; advice: string; description?: string; node?: string; itemIndex?: number },
  ) {
    super(message, {
      description: options.description ?? ON_ERROR,
      context: { outputParserFailReason: options.reason },
      ...(options.node !== undefined && { node: options.node }),
      ...(options.itemIndex !== undefined && { itemIndex: options.itemIndex }),
    });
    this.advice = options.advice;
  }
}

/** The answer has another form than asked for. */
export function misfit(
  reason: 'Invalid JSON in model output' | 'Model output does not match the expected schema',
  options: { advice?: string; node?: string; itemIndex?: number } = {},
): ParseError {
  return new ParseError("Model output doesn't fit required format", { reason, advice: '', ...options });
}

/** The answer has nothing of what was asked for. */
export function emptyAnswer(node: string): ParseError {
  return new ParseError('The AI model returned an empty response to the Structured Output Parser', {
    reason: 'Model output wrapper is an empty object',
    advice: '[]',
    description: `This usually happens when the model runs out of tokens before it can generate the structured output. Try reducing the prompt length, increasing the model's max output tokens, or simplifying the output schema. ${ON_ERROR}.`,
    node,
  });
}
