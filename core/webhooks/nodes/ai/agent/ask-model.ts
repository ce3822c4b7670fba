/** The questions of an agent to its model, streamed to the caller where it reads a stream. */
import type { ChatAnswer, ChatMessage } from '../../../node-api/chat.ts';
import type { NodeContext } from '../../../node-api/node-context.ts';
import { misfit } from '../parsers/parse-error.ts';
import { type AgentParts, describedTools } from './options.ts';

/** @throws ParseError for tool calls that cannot be read */
export async function askModel(
  context: NodeContext,
  parts: AgentParts,
  messages: ChatMessage[],
  { itemIndex, isRead, streamed = false }: { itemIndex: number; isRead: boolean; streamed?: boolean },
): Promise<ChatAnswer> {
  const tools = describedTools(parts);
  const answer = await parts.model.ask({
    messages,
    ...(tools.length > 0 && { tools }),
    ...(streamed && { streamed }),
    ...(isRead && {
      async onText(content) {
        await context.stream({ type: 'item', content, itemIndex });
      },
    }),
  });
  if (answer.hasInvalidCalls) {
    throw misfit('Model output does not match the expected schema', { itemIndex });
  }
  return answer;
}

/** Begins the stream of an answer. False if nobody reads it. */
export async function beginStream(
  context: NodeContext,
  { options }: AgentParts,
  itemIndex: number,
): Promise<boolean> {
  const mayStream = context.version >= 2.1 && options.enableStreaming !== false;
  return mayStream && (await context.stream({ type: 'begin', itemIndex }));
}
