/** `content` of an OpenAI message: text, or parts of which each becomes a message of its own. */
import { ApiError, Base64Error, decodeBase64, type JsonNode } from '#core/http';
import type { Message } from '../../base/messages.ts';

const badFormat = () => new ApiError(400, 'invalid message format');

/** The value of a member. Among duplicates the last one counts. */
function member(node: JsonNode | undefined, name: string): JsonNode | undefined {
  if (node?.type !== 'object') return undefined;
  return node.members.findLast(([key]) => key === name)?.[1];
}

function text(node: JsonNode | undefined): string {
  if (node?.type !== 'string') throw badFormat();
  return node.value;
}

function decodeMedia(base64: string, toError: () => ApiError): Uint8Array {
  try {
    return decodeBase64(base64);
  } catch (error) {
    throw error instanceof Base64Error ? toError() : error;
  }
}

/**
 * Decodes an image in a data URL. Images are never fetched.
 * @throws ApiError 400
 */
export function decodeImageUrl(url: string): Uint8Array {
  if (/^https?:\/\//.test(url))
    throw new ApiError(400, 'image URLs are not currently supported, please use base64 encoded data instead');
  const invalid = () => new ApiError(400, 'invalid image input');
  const prefix = /^data:(image\/(jpeg|jpg|png|webp))?;base64,/.exec(url)?.[0];
  if (prefix === undefined) throw invalid();
  return decodeMedia(url.slice(prefix.length), invalid);
}

function readPart(part: JsonNode): { content: string; images?: Uint8Array[] } {
  const type = member(part, 'type');
  switch (type?.type === 'string' ? type.value : undefined) {
    case 'text':
      return { content: text(member(part, 'text')) };
    case 'image_url': {
      const image = member(part, 'image_url');
      const url = text(image?.type === 'object' ? member(image, 'url') : image);
      return { content: '', images: [decodeImageUrl(url)] };
    }
    case 'input_audio': {
      const data = text(member(member(part, 'input_audio'), 'data'));
      return { content: '', images: [decodeMedia(data, badFormat)] };
    }
    default:
      throw badFormat();
  }
}

/** Go's names for the types of JSON values, which appear in error texts. */
export const GO_TYPES = {
  string: 'string',
  array: '[]interface {}',
  number: 'float64',
  bool: 'bool',
  object: 'map[string]interface {}',
  null: '<nil>',
};

/**
 * Translates one OpenAI message to one or more messages.
 * @param rest tool calls, reasoning and ids, which the last of them gets
 * @throws ApiError 400 for content that cannot be read
 */
export function readContent(
  role: string,
  content: JsonNode | undefined,
  rest: Omit<Message, 'role' | 'content' | 'images'>,
): Message[] {
  if (content?.type === 'string') return [{ role, content: content.value, ...rest }];
  if (content?.type === 'array') {
    const messages: Message[] = content.items.map((part) => ({ role, ...readPart(part) }));
    const last = messages.pop();
    return last ? [...messages, { ...last, ...rest }] : [];
  }
  if (!rest.toolCalls)
    throw new ApiError(400, `invalid message content type: ${GO_TYPES[content?.type ?? 'null']}`);
  return [{ role, content: '', ...rest }];
}
