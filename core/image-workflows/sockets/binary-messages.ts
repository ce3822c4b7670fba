/** Binary messages to clients: a 32-bit number for the kind, then the content. All numbers are big-endian. */
import { concatBytes } from '#core/base';
import type { Preview } from '../nodes/kernel/node-context.ts';
import { pythonJson } from '../python/python-json.ts';

const KIND = { preview: 1, text: 3, previewWithMetadata: 4 };
const IMAGE_FORMAT = { 'image/jpeg': 1, 'image/png': 2 };

/** An image without metadata: the number of its format, then the image. */
export function previewMessage({ type, bytes }: Preview): Uint8Array {
  return concatBytes([uint32(KIND.preview), uint32(IMAGE_FORMAT[type]), bytes]);
}

/** An image with metadata: their length, the metadata as JSON, then the image. */
export function previewWithMetadataMessage(
  { type, bytes }: Preview,
  metadata: Record<string, unknown>,
): Uint8Array {
  const json = utf8.encode(pythonJson({ ...metadata, image_type: type }));
  return concatBytes([uint32(KIND.previewWithMetadata), withLength(json), bytes]);
}

/** A text on a node: the length of the node's id, the id, then the text. */
export function textMessage(node: string, text: string): Uint8Array {
  return concatBytes([uint32(KIND.text), withLength(utf8.encode(node)), utf8.encode(text)]);
}

const utf8 = new TextEncoder();

const withLength = (bytes: Uint8Array) => concatBytes([uint32(bytes.length), bytes]);

function uint32(value: number): Uint8Array {
  const bytes = new Uint8Array(4);
  new DataView(bytes.buffer).setUint32(0, value);
  return bytes;
}
