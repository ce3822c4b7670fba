/** The answer of a model of this server, in Google's form. */
import type { JsonObject } from '#core/workflow-format';
import type { ChatMessage } from '../../../node-api/chat.ts';
import type { NodeContext } from '../../../node-api/node-context.ts';
import { callTool, roundLimit } from '../actions/tool-calls.ts';
import { localModelName, localServer } from '../chat-models/local-model.ts';
import { askOllama } from '../wire/ollama-chat.ts';

const OPTION_NAMES: Record<string, string> = {
  temperature: 'temperature',
  topP: 'top_p',
  topK: 'top_k',
  maxOutputTokens: 'num_predict',
  frequencyPenalty: 'frequency_penalty',
  presencePenalty: 'presence_penalty',
};

export async function localAnswer(
  context: NodeContext,
  index: number,
  { contents, options }: { contents: JsonObject[]; options: JsonObject },
): Promise<JsonObject> {
  const model = await localModelName(context, 'completion', index);
  const tools = await context.subNodes('ai_tool', index);
  const isJson = (await context.parameter('jsonOutput', index)) === true;
  const settings = {
    model,
    options: Object.fromEntries(
      Object.entries(options).flatMap(([name, value]) =>
        OPTION_NAMES[name] ? [[OPTION_NAMES[name], Number(value)]] : [],
      ),
    ),
    ...(isJson && { format: 'json' }),
  };
  const { systemMessage, maxToolsIterations } = options;
  const messages: ChatMessage[] = [
    ...(systemMessage ? [{ role: 'system' as const, content: String(systemMessage) }] : []),
    ...contents.map(
      ({ role, parts }): ChatMessage => ({
        role: role === 'model' ? 'assistant' : 'user',
        content: String((parts as { text?: unknown }[])[0]?.text ?? ''),
      }),
    ),
  ];
  const limit = roundLimit(maxToolsIterations);
  for (let round = 1; ; round++) {
    context.signal.throwIfAborted();
    const { text, toolCalls, usage } = await askOllama(context, localServer(context), settings, {
      messages,
      ...(tools.length > 0 && round < limit && { tools }),
    });
    if (toolCalls.length === 0 || round >= limit) {
      const content = { role: 'model', parts: [{ text }] };
      return {
        candidates: [{ content, finishReason: 'STOP', index: 0 }],
        usageMetadata: {
          promptTokenCount: usage?.promptTokens ?? 0,
          candidatesTokenCount: usage?.completionTokens ?? 0,
          totalTokenCount: usage?.totalTokens ?? 0,
        },
        modelVersion: model,
      };
    }
    messages.push({ role: 'assistant', content: text, toolCalls });
    for (const { id, name, args } of toolCalls) {
      const content = await callTool(context, tools, { name, args: JSON.stringify(args) });
      messages.push({ role: 'tool', content, toolCallId: id, name });
    }
  }
}
