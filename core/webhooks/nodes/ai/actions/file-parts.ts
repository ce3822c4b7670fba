/** Files in forms and in items. */
import { decodeBase64 } from '#core/http';
import type { Item } from '#core/workflow-format';
import type { FileOptions, NodeContext } from '../../../node-api/node-context.ts';

/** Adds the item's file to a form. @throws NodeError when there is none */
export async function appendFile(
  context: NodeContext,
  index: number,
  form: FormData,
  { field, property }: { field: string; property: string },
): Promise<void> {
  const file = context.binary.require(context.items()[index], property, index);
  const blob = new Blob([await context.binary.bytes(file)], { type: file.mimeType });
  form.append(field, blob, file.fileName ?? 'file');
}

/** An item with a file, whose facts are its JSON. */
export async function fileItem(
  context: NodeContext,
  index: number,
  { bytes, property = 'data', ...options }: FileOptions & { bytes: Uint8Array; property?: string },
): Promise<Item> {
  const file = await context.binary.prepare(bytes, options);
  const { data: _data, ...facts } = file;
  return { json: facts, binary: { [property]: file }, pairedItem: { item: index } };
}

/** Items with the images of an answer. */
export async function imageItems(
  context: NodeContext,
  index: number,
  images: { b64_json?: unknown }[],
  { property, mimeType = 'image/png' }: { property?: string; mimeType?: string } = {},
): Promise<Item[]> {
  return Promise.all(
    images.map(({ b64_json: encoded }) =>
      fileItem(context, index, {
        bytes: decodeBase64(String(encoded ?? '')),
        fileName: 'data',
        mimeType,
        ...(property && { property }),
      }),
    ),
  );
}
