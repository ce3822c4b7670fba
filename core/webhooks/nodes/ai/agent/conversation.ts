/** The messages of an agent: rules, what was said before, the question with its files, and the steps so far. */
import { isObject } from '#core/base';
import { encodeBase64 } from '#core/http';
import type { ChatMessage, ContentPart, ToolCall } from '../../../node-api/chat.ts';
import type { NodeContext } from '../../../node-api/node-context.ts';
import { type AgentParts, FORMAT_TOOL } from './options.ts';

const FORMAT_RULE = `IMPORTANT: For your response to user, you MUST use the \`${FORMAT_TOOL}\` tool with your complete answer formatted according to the required schema. Do not attempt to format the JSON manually - always use this tool. Your response will be rejected if it is not properly formatted through this tool. Only use this tool once you are ready to provide your final answer.`;

/** A tool that the agent used. */
export interface AgentStep {
  call: ToolCall;
  /** Name of the tool's node. */
  node: string;
  observation: string;
}

/** The messages before the first answer of the model. */
export async function openingMessages(
  context: NodeContext,
  { options, memory, parser }: AgentParts,
  prompt: string,
  itemIndex: number,
): Promise<ChatMessage[]> {
  const rules = [options.systemMessage, parser && FORMAT_RULE].filter(Boolean).join('\n\n');
  const files = await fileParts(context, itemIndex, options.passthroughBinaryImages !== false);
  return [
    ...(rules === '' ? [] : [{ role: 'system', content: rules } as const]),
    ...(memory ? await memory.load() : []),
    { role: 'user', content: prompt },
    ...(files.length > 0 ? [{ role: 'user', content: files } as const] : []),
  ];
}

/** The files of the item that a model can read: images and texts. */
async function fileParts(
  context: NodeContext,
  itemIndex: number,
  withImages: boolean,
): Promise<ContentPart[]> {
  if (!withImages) return [];
  const parts: ContentPart[] = [];
  for (const file of Object.values(context.items()[itemIndex]?.binary ?? {})) {
    if (file.mimeType.startsWith('image/')) {
      const bytes = await context.binary.bytes(file);
      parts.push({
        type: 'image_url',
        image_url: { url: `data:${file.mimeType};base64,${encodeBase64(bytes)}` },
      });
    } else if (/^text\/|^application\/(json|xml|csv|x-yaml|yaml)/.test(file.mimeType)) {
      const content = new TextDecoder().decode(await context.binary.bytes(file));
      parts.push({ type: 'text', text: `File: ${file.fileName ?? 'file'}\nContent:\n${content}` });
    }
  }
  return parts;
}

/** The steps of an agent whose tools the engine runs: a message for each of them, whose arguments name the call. */
export function stepMessages(steps: AgentStep[]): ChatMessage[] {
  return steps.flatMap(({ call, observation }): ChatMessage[] => [
    { role: 'assistant', content: [], toolCalls: [{ ...call, args: { ...call.args, id: call.id } }] },
    { role: 'tool', content: observation, toolCallId: call.id, name: call.name },
  ]);
}

/** Reads the final answer by the parser. Models may have written the object itself, or wrapped as `{ output }`. */
export async function parsedAnswer(text: string, parser: AgentParts['parser']): Promise<unknown> {
  if (!parser) return text;
  const value = await parser.parse(wrappedAnswer(text));
  return isObject(value) && 'output' in value ? value.output : value;
}

function wrappedAnswer(text: string): string {
  try {
    const value: unknown = JSON.parse(text);
    const isWrapped = isObject(value) && 'output' in value && Object.keys(value).length === 1;
    return JSON.stringify(isWrapped ? value : { output: value });
  } catch {
    return text;
  }
}
