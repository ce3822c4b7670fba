/** The texts of an item: of its JSON, of an expression, or of its files. */
import { isObject } from '#core/base';
import type { Binary, Item, JsonObject } from '#core/workflow-format';
import type { NodeContext } from '../../../node-api/node-context.ts';
import { NodeError } from '../../../node-api/node-error.ts';
import type { TextDocument } from '../../../node-api/sub-nodes.ts';

/** Every text in the item's JSON is a document of its own. */
export function jsonDocuments(value: unknown): TextDocument[] {
  return texts(value).map((pageContent, index) => ({
    pageContent,
    metadata: { source: 'blob', blobType: 'application/json', line: index + 1 },
  }));
}

/** A text as one document. */
export function textDocument(pageContent: string, blobType = 'text/plain'): TextDocument {
  return { pageContent, metadata: { source: 'blob', blobType } };
}

function texts(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (Array.isArray(value)) return value.flatMap(texts);
  return isObject(value) ? Object.values(value).flatMap(texts) : [];
}

/** The documents of one or all of the item's files. @throws NodeError for files that hold no text */
export async function fileDocuments(
  context: NodeContext,
  item: Item,
  index: number,
  property?: string,
): Promise<TextDocument[]> {
  const files = property ? [context.binary.require(item, property, index)] : Object.values(item.binary ?? {});
  const documents: TextDocument[] = [];
  for (const file of files) documents.push(...(await documentsOf(context, file)));
  return documents;
}

async function documentsOf(context: NodeContext, file: Binary): Promise<TextDocument[]> {
  const type = file.mimeType.split(';')[0]!.trim();
  if (!/^text\/|json|xml|csv|yaml|javascript/.test(type)) {
    throw new NodeError(`Files of the type ${type} cannot be read as text here`, {
      description: 'Extract the text first, with an Extract from File node.',
    });
  }
  const text = new TextDecoder().decode(await context.binary.bytes(file));
  if (!/json/.test(type)) return [textDocument(text, type)];
  try {
    return jsonDocuments(JSON.parse(text) as JsonObject);
  } catch (cause) {
    throw new NodeError(`The file ${file.fileName ?? ''} is not valid JSON`, { cause });
  }
}
