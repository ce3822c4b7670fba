/** Checks that a chat model makes. */
import type { ChatModel } from '../../../node-api/chat.ts';
import type { NodeContext } from '../../../node-api/node-context.ts';
import { NodeError } from '../../../node-api/node-error.ts';
import { rootError } from '../chains/root-error.ts';
import { schemaParser } from '../chains/schema-answer.ts';
import { ParseError } from '../parsers/parse-error.ts';
import type { CheckResult } from './check.ts';
import prompts from './prompts.json' with { type: 'json' };

/** One rule that a model checks. */
export interface ModelRule {
  name: string;
  prompt: string;
  /** From 0 to 1: how certain a violation must be. */
  threshold: number;
}

const SCHEMA = {
  type: 'object',
  properties: {
    confidenceScore: {
      type: 'number',
      minimum: 0,
      maximum: 1,
      description: 'Confidence score between 0.0 and 1.0',
    },
    flagged: {
      type: 'boolean',
      description: 'Whether the input violates the guardrail (true) or not (false)',
    },
  },
  required: ['confidenceScore', 'flagged'],
  additionalProperties: false,
};

interface ModelCheck {
  context: NodeContext;
  model: ChatModel;
  index: number;
  rule: ModelRule;
  /** Replaces the general rules. */
  systemMessage?: string | undefined;
}

/** @throws NodeError if the model fails, or its answer has another form */
export async function checkByModel(text: string, check: ModelCheck): Promise<CheckResult> {
  const { context, model, index, rule, systemMessage } = check;
  const parser = schemaParser(SCHEMA, index);
  const content =
    `${rule.prompt}\n\n${parser.instructions}\n\n${systemMessage?.trim() || prompts.rules}`.trim();
  try {
    const answer = await model.ask({
      messages: [
        { role: 'system', content },
        { role: 'user', content: text },
      ],
    });
    const { confidenceScore, flagged } = (await parser.parse(answer.text)) as {
      confidenceScore: number;
      flagged: boolean;
    };
    const triggered = flagged && confidenceScore >= rule.threshold;
    return { name: rule.name, triggered, confidenceScore, info: {} };
  } catch (error) {
    context.signal.throwIfAborted();
    if (error instanceof ParseError)
      throw new NodeError('Failed to parse output', { description: error.message, itemIndex: index });
    const shown = rootError(error, index);
    throw new NodeError(`Guardrail validation failed: ${(shown as Error).message}`, {
      itemIndex: index,
      ...(shown instanceof NodeError &&
        shown.description !== undefined && { description: shown.description }),
    });
  }
}
