/** The nodes that make documents of items. */
import { isObject } from '#core/base';
import type { Item, JsonObject, SubNodeInput } from '#core/workflow-format';
import type { NodeType } from '../../../node-api/node-type.ts';
import type { SubNodeContext } from '../../../node-api/sub-node-context.ts';
import type { DocumentLoader, TextDocument, TextSplitter } from '../../../node-api/sub-nodes.ts';
import { subNode } from '../describe.ts';
import { fileDocuments, jsonDocuments, textDocument } from './document-texts.ts';
import { piecesWithLines, splitRecursively } from './split-text.ts';

const splitterInput: SubNodeInput = { kind: 'ai_textSplitter', label: 'Text Splitter', max: 1 };

export const defaultLoader: NodeType = subNode('documentDefaultDataLoader', {
  description: 'Makes documents of the items or of their files.',
  supplies: 'ai_document',
  subNodes: ({ get, version }) =>
    version < 1.1 || get('textSplittingMode') === 'custom' ? [{ ...splitterInput, required: true }] : [],
  supply: async (context, itemIndex) =>
    loader(context, itemIndex, async (over, item, index) => {
      if ((await over.parameter('dataType', index)) === 'binary') {
        const isAll = (await over.parameter('binaryMode', index)) !== 'specificField';
        const property = isAll ? undefined : String(await over.parameter('binaryDataKey', index));
        return fileDocuments(over, item, index, property);
      }
      if ((await over.parameter('jsonMode', index)) !== 'expressionData') return jsonDocuments(item.json);
      const data = await over.parameter<unknown>('jsonData', index);
      return typeof data === 'string' ? [textDocument(data)] : jsonDocuments(data);
    }),
});

export const binaryLoader: NodeType = subNode('documentBinaryInputLoader', {
  description: 'Makes documents of the files of items.',
  supplies: 'ai_document',
  subNodes: [{ ...splitterInput, required: true }],
  supply: async (context, itemIndex) =>
    loader(context, itemIndex, async (over, item, index) =>
      fileDocuments(over, item, index, String((await over.parameter('binaryDataKey', index)) || 'data')),
    ),
});

export const jsonLoader: NodeType = subNode('documentJsonInputLoader', {
  description: 'Makes documents of the texts in items.',
  supplies: 'ai_document',
  subNodes: [splitterInput],
  supply: async (context, itemIndex) =>
    loader(context, itemIndex, async (_over, item) => jsonDocuments(item.json)),
});

type Read = (context: SubNodeContext, item: Item, index: number) => Promise<TextDocument[]>;

async function loader(context: SubNodeContext, itemIndex: number, read: Read): Promise<DocumentLoader> {
  const isSimple = context.version >= 1.1 && context.literal<unknown>('textSplittingMode') === 'simple';
  const [splitter] = isSimple ? [] : await context.subNodes('ai_textSplitter', itemIndex);
  return {
    node: context.node.name,
    load: (item, index) => {
      const input: Item[] = [{ ...item, pairedItem: { item: index } }];
      return context.recordUse('ai_document', input, async () => {
        const extra = await ownMetadata(context, index);
        const found = await read(context, item, index);
        const value = (await split(found, isSimple, splitter)).map(({ pageContent, metadata }) => ({
          pageContent,
          metadata: { ...metadata, ...extra },
        }));
        return { value, output: [{ json: { response: value }, pairedItem: { item: index } }] };
      });
    },
  };
}

async function split(
  documents: TextDocument[],
  isSimple: boolean,
  splitter: TextSplitter | undefined,
): Promise<TextDocument[]> {
  const pieces: TextDocument[] = [];
  for (const { pageContent, metadata } of documents) {
    if (!isSimple && !splitter) pieces.push({ pageContent, metadata });
    else {
      const parts = splitter
        ? await splitter.split(pageContent)
        : splitRecursively(pageContent, { size: 1000, overlap: 200 });
      pieces.push(...piecesWithLines(pageContent, parts, metadata));
    }
  }
  return pieces;
}

async function ownMetadata(context: SubNodeContext, index: number): Promise<JsonObject> {
  const values = await context.parameter<unknown>('options.metadata.metadataValues', index);
  if (!Array.isArray(values)) return {};
  return Object.fromEntries(values.filter(isObject).map(({ name, value }) => [String(name), value]));
}
