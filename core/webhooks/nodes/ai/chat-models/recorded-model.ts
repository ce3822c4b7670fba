/** Chat models of sub-nodes: each question is recorded as a run of the sub-node. */
import type { Item, JsonObject } from '#core/workflow-format';
import type { ChatAnswer, ChatMessage, ChatModel, ChatRequest } from '../../../node-api/chat.ts';
import { NodeError } from '../../../node-api/node-error.ts';
import type { SubNodeContext } from '../../../node-api/sub-node-context.ts';

/** @param settings what the record shows of the model */
export function recordedModel(
  context: SubNodeContext,
  settings: JsonObject,
  ask: (request: ChatRequest) => Promise<ChatAnswer>,
): ChatModel {
  return {
    node: context.node.name,
    async ask(request) {
      const text = transcript(request.messages);
      const input: Item[] = [
        { json: { messages: [text], estimatedTokens: estimateTokens(text), options: settings } },
      ];
      const answer = await context.recordUse('ai_languageModel', input, async () => {
        const value = await ask(request);
        return { value, output: [{ json: answerJson(value, text) }] };
      });
      if (answer.hasMessage) return answer;
      throw new NodeError("Cannot read properties of undefined (reading 'message')", {
        description: 'Original error: TypeError',
      });
    },
  };
}

function answerJson({ text, info, usage, hasMessage }: ChatAnswer, question: string): JsonObject {
  const generations = hasMessage ? [[{ text, ...(info && { generationInfo: info }) }]] : [[]];
  if (usage) return { response: { generations }, tokenUsage: usage };
  const promptTokens = estimateTokens(question);
  const completionTokens = estimateTokens(text);
  return {
    response: { generations },
    tokenUsageEstimate: { completionTokens, promptTokens, totalTokens: promptTokens + completionTokens },
  };
}

const SPEAKERS: Record<ChatMessage['role'], string> = {
  system: 'System',
  user: 'Human',
  assistant: 'AI',
  tool: 'Tool',
};

/** The conversation as text. */
export function transcript(messages: ChatMessage[]): string {
  return messages.map((message) => `${SPEAKERS[message.role]}: ${contentText(message)}`).join('\n');
}

function contentText(message: ChatMessage): string {
  if (message.role === 'assistant' && message.toolCalls?.length) {
    const isOwn = typeof message.content !== 'string';
    return JSON.stringify(
      message.toolCalls.map(({ id, name, args }) =>
        isOwn ? { id, name, args, type: 'tool_call' } : { name, args, id, type: 'tool_call' },
      ),
    );
  }
  if (typeof message.content === 'string') return message.content;
  return message.content.map((part) => (part.type === 'text' ? part.text : JSON.stringify(part))).join('\n');
}

/** About four characters a token: the vocabularies of the models are not here. */
export function estimateTokens(text: string): number {
  return Math.ceil(text.length / 4);
}
