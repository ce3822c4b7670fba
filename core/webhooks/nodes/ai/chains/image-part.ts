import { encodeBase64 } from '#core/http';
import type { NodeContext } from '../../../node-api/node-context.ts';

/** The item's file as a `data:` address. @throws NodeError when there is none */
export async function imagePart(context: NodeContext, index: number, property: string): Promise<string> {
  const file = context.binary.require(context.items()[index], property, index);
  return `data:${file.mimeType};base64,${encodeBase64(await context.binary.bytes(file))}`;
}
