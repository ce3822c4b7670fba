/** Asks a model one question for each item. */
import { isObject } from '#core/base';
import type { Item, JsonObject } from '#core/workflow-format';
import type { ChatMessage } from '../../../node-api/chat.ts';
import type { NodeContext } from '../../../node-api/node-context.ts';
import type { NodeType } from '../../../node-api/node-type.ts';
import { modelInput, parserInput, rootNode } from '../describe.ts';
import { inBatches, readBatching } from './batches.ts';
import { connectedModel } from './connected-model.ts';
import { imagePart } from './image-part.ts';
import { readPrompt, requirePrompt } from './prompt.ts';

interface MessageValue {
  type?: string;
  messageType?: string;
  message?: string;
  imageUrl?: string;
  binaryImageDataKey?: string;
}

const ROLES: Record<string, 'system' | 'user' | 'assistant'> = {
  SystemMessagePromptTemplate: 'system',
  HumanMessagePromptTemplate: 'user',
  AIMessagePromptTemplate: 'assistant',
};

export const chainLlm: NodeType = rootNode('chainLlm', {
  description: 'Asks a model one question for each item.',
  subNodes: ({ get }) => [
    { ...modelInput, ...(get('needsFallback') === true && { max: 2 }) },
    ...(get('hasOutputParser') === false ? [] : [parserInput]),
  ],
  async execute(context) {
    const batching = await readBatching(context, 'batching', context.version >= 1.7 ? 5 : 1);
    const results = await inBatches(context, batching, (_item, index) => answer(context, index));
    const many = context.items().length > 1;
    return [
      results.flatMap((result, index) => {
        if ('failed' in result) return [result.failed];
        // Several items of one input item are paired here, the others by their number.
        return result.value.length === 1 || !many
          ? result.value
          : result.value.map((item) => ({ ...item, pairedItem: { item: index } }));
      }),
    ];
  },
});

async function answer(context: NodeContext, index: number): Promise<Item[]> {
  const model = await connectedModel(context, index);
  const prompt =
    context.version <= 1.3
      ? requirePrompt(await context.parameter<unknown>('prompt', index))
      : await readPrompt(context, index);
  const usesParser = (await context.parameter('hasOutputParser', index, true)) !== false;
  const [parser] = usesParser ? await context.subNodes('ai_outputParser', index) : [];
  const messages = await storedMessages(context, index);
  messages.push({ role: 'user', content: parser ? `${prompt}\n${parser.instructions}` : prompt });
  const { text } = await model.ask({ messages });
  const value = parser ? await parser.parse(text) : text.trim();
  const values = parser?.isList && Array.isArray(value) ? value : [value];
  const unwraps = parser !== undefined || context.version >= 1.6;
  return values.map((element) => ({ json: answerJson(element, unwraps) }));
}

function answerJson(value: unknown, unwraps: boolean): JsonObject {
  if (typeof value === 'string') return { text: value };
  if (Array.isArray(value)) return { data: value };
  return unwraps && isObject(value) ? value : { text: value };
}

/** The messages that stand before the question. */
async function storedMessages(context: NodeContext, index: number): Promise<ChatMessage[]> {
  const values = await context.parameter<MessageValue[] | undefined>('messages.messageValues', index);
  const messages: ChatMessage[] = [];
  for (const value of Array.isArray(values) ? values : []) {
    const role = ROLES[value.type ?? 'SystemMessagePromptTemplate'] ?? 'system';
    const content = String(value.message ?? '');
    if (role !== 'user' || !value.messageType || value.messageType === 'text') {
      messages.push({ role, content });
      continue;
    }
    const url =
      value.messageType === 'imageUrl'
        ? String(value.imageUrl ?? '')
        : await imagePart(context, index, value.binaryImageDataKey || 'data');
    messages.push({ role, content: [{ type: 'image_url', image_url: { url } }] });
  }
  return messages;
}
