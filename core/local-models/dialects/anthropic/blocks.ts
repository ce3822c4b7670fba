/** Content blocks of Anthropic messages. */
import {
  ApiError,
  array,
  Base64Error,
  bool,
  type Decoded,
  type Decoder,
  decodeBase64,
  type JsonNode,
  mismatch,
  type Place,
  raw,
  string,
  struct,
} from '#core/http';
import { toolArguments } from '../../runs/tool-fields.ts';

const sourceFields = struct('anthropic.ImageSource', {
  type: string,
  media_type: string,
  data: string,
  url: string,
});

const blockFields = struct('anthropic.ContentBlock', {
  type: string,
  text: string,
  source: sourceFields,
  id: string,
  name: string,
  input: toolArguments,
  tool_use_id: string,
  content: raw,
  is_error: bool,
  thinking: string,
  signature: string,
});

export type Block = Decoded<typeof blockFields>;
export type ImageSource = Decoded<typeof sourceFields>;

const blockList = array(blockFields, '[]anthropic.ContentBlock');

/** Decodes `content` of a message: text, or a list of blocks. */
export function decodeContent(node: JsonNode | undefined, place: Place): Block[] | undefined {
  if (!node) throw new ApiError(400, 'unexpected end of JSON input');
  if (node.type === 'null') return [{ type: 'text', text: '' }];
  if (node.type === 'string') return [{ type: 'text', text: node.value }];
  if (node.type !== 'array') return mismatch(node, blockList.goType, place);
  return blockList.decode(node, place)?.map((block) => block ?? {});
}

/** Decodes blocks inside a block. Malformed ones are ignored. */
export function looseBlocks(node: JsonNode | undefined): Block[] {
  if (node?.type !== 'array') return [];
  return node.items.flatMap((item) => looseBlock(item, blockFields));
}

function looseBlock(item: JsonNode, decoder: Decoder<Block>): Block[] {
  const place: Place = { struct: '', path: [], sealed: false, source: '', errors: [] };
  const block = item.type === 'object' ? decoder.decode(item, place) : undefined;
  return block ? [block] : [];
}

/** @throws ApiError 400 for any other source than base64 */
export function decodeImage(source: ImageSource): Uint8Array {
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
