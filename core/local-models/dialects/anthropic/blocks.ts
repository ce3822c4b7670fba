/** Content blocks of Anthropic messages. */
import {
  ApiError,
  arrayOf,
  Base64Error,
  booleanField,
  type DecodeContext,
  type DecodedValue,
  decodeBase64,
  type JsonDecoder,
  type JsonNode,
  rawField,
  reportMismatch,
  stringField,
  structOf,
} from '#core/http';
import { toolArguments } from '../../runs/tool-fields.ts';

const sourceFields = structOf('anthropic.ImageSource', {
  type: stringField,
  media_type: stringField,
  data: stringField,
  url: stringField,
});

const blockFields = structOf('anthropic.ContentBlock', {
  type: stringField,
  text: stringField,
  source: sourceFields,
  id: stringField,
  name: stringField,
  input: toolArguments,
  tool_use_id: stringField,
  content: rawField,
  is_error: booleanField,
  thinking: stringField,
  signature: stringField,
});

export type Block = DecodedValue<typeof blockFields>;
type ImageSource = DecodedValue<typeof sourceFields>;

const blockList = arrayOf(blockFields, '[]anthropic.ContentBlock');

/** Decodes `content` of a message: text, or a list of blocks. */
export function decodeContent(node: JsonNode | undefined, place: DecodeContext): Block[] | undefined {
  if (!node) throw new ApiError(400, 'unexpected end of JSON input');
  if (node.type === 'null') return [{ type: 'text', text: '' }];
  if (node.type === 'string') return [{ type: 'text', text: node.value }];
  if (node.type !== 'array') return reportMismatch(node, blockList.goType, place);
  return blockList.decode(node, place)?.map((block) => block ?? {});
}

/** Decodes blocks inside a block. Malformed ones are ignored. */
export function looseBlocks(node: JsonNode | undefined): Block[] {
  if (node?.type !== 'array') return [];
  return node.items.flatMap((item) => looseBlock(item, blockFields));
}

function looseBlock(item: JsonNode, decoder: JsonDecoder<Block>): Block[] {
  const place: DecodeContext = { struct: '', path: [], sealed: false, source: '', errors: [] };
  const block = item.type === 'object' ? decoder.decode(item, place) : undefined;
  return block ? [block] : [];
}

/** @throws ApiError 400 for any other source than base64 */
export function decodeImageSource(source: ImageSource): Uint8Array {
  if (source.type !== 'base64') {
    throw new ApiError(
      400,
      `invalid image source type: ${source.type ?? ''}. Only base64 images are supported.`,
    );
  }
  try {
    return decodeBase64(source.data ?? '');
  } catch (error) {
    if (!(error instanceof Base64Error)) throw error;
    throw new ApiError(400, `invalid base64 image data: ${error.message}`);
  }
}
