/** The agent before version 3: it calls its tools itself. */
import { errorMessage } from '#core/base';
import type { Item, JsonObject } from '#core/workflow-format';
import type { ChatMessage, ToolCall } from '../../../node-api/chat.ts';
import type { NodeContext } from '../../../node-api/node-context.ts';
import { failedItem } from '../../../node-api/per-item.ts';
import { readPrompt, requirePrompt } from '../chains/prompt.ts';
import { rootError } from '../chains/root-error.ts';
import { fitToSchema } from '../schema/fit-to-schema.ts';
import { askModel, beginStream } from './ask-model.ts';
import { type AgentStep, openingMessages, parsedAnswer } from './conversation.ts';
import { loopSteps } from './intermediate-steps.ts';
import { type AgentParts, agentParts, FORMAT_TOOL, maxIterations } from './options.ts';

export async function ownLoop(context: NodeContext): Promise<Item[]> {
  const items: Item[] = [];
  for (const index of context.items().keys()) {
    context.signal.throwIfAborted();
    try {
      items.push({ json: await answerItem(context, index), pairedItem: { item: index } });
    } catch (error) {
      items.push(failedItem(context, rootError(error, index), index));
    }
  }
  return items;
}

/** The agent's answer to one item. It is also how an agent answers as the tool of another one. */
export async function answerItem(
  context: NodeContext,
  index: number,
  question?: string,
): Promise<JsonObject> {
  const prompt = question ?? (await ownPrompt(context, index));
  const parts = await agentParts(context, index);
  const messages = await openingMessages(context, parts, prompt, index);
  const steps: AgentStep[] = [];
  const isRead = await beginStream(context, parts, index);
  const output = await converse(context, parts, { messages, steps, index, isRead });
  if (isRead) await context.stream({ type: 'end', itemIndex: index });
  await parts.memory?.save(prompt, typeof output === 'string' ? output : JSON.stringify(output));
  return { output, ...(parts.options.returnIntermediateSteps && { intermediateSteps: loopSteps(steps) }) };
}

async function ownPrompt(context: NodeContext, index: number): Promise<string> {
  if (context.version >= 1.7) return readPrompt(context, index);
  return requirePrompt(await context.parameter<unknown>('text', index));
}

interface Conversation {
  messages: ChatMessage[];
  steps: AgentStep[];
  index: number;
  /** Whether somebody reads the answer as a stream. */
  isRead: boolean;
}

async function converse(
  context: NodeContext,
  parts: AgentParts,
  { messages, steps, index, isRead }: Conversation,
): Promise<unknown> {
  // Version 1 asks for streams, and reads them to their end.
  const streamed = context.version < 2;
  for (let round = 0; round < maxIterations(parts.options); round++) {
    context.signal.throwIfAborted();
    const answer = await askModel(context, parts, messages, { itemIndex: index, isRead, streamed });
    const final = parts.parser ? answer.toolCalls.find(({ name }) => name === FORMAT_TOOL) : undefined;
    if (final) return parsedAnswer(JSON.stringify(final.args), parts.parser);
    if (answer.toolCalls.length === 0) return parsedAnswer(answer.text, parts.parser);
    messages.push({ role: 'assistant', content: answer.text, toolCalls: answer.toolCalls });
    for (const call of answer.toolCalls) {
      const observation = await observe(context, parts, call);
      steps.push({ call, node: call.name, observation });
      messages.push({ role: 'tool', content: observation, toolCallId: call.id, name: call.name });
    }
  }
  return 'Agent stopped due to max iterations.';
}

/** The answer of a tool, as text. A failure is an answer, too: the model can act on it. */
async function observe(context: NodeContext, { tools }: AgentParts, call: ToolCall): Promise<string> {
  const tool = tools.find(({ name }) => name === call.name);
  if (!tool) return `${call.name} is not a valid tool, try another one.`;
  const fitted = fitToSchema(call.args, tool.schema);
  if ('faults' in fitted) return 'Received tool input did not match expected schema';
  try {
    const value = await tool.call(fitted.value as JsonObject);
    return typeof value === 'string' ? value : JSON.stringify(value);
  } catch (error) {
    if (context.signal.aborted) throw error;
    return `There was an error: "${errorMessage(error)}"`;
  }
}
