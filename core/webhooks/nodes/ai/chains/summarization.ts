/** Summarizes texts that may be longer than what a model reads at once. */
import type { Item } from '#core/workflow-format';
import type { ChatModel } from '../../../node-api/chat.ts';
import type { NodeContext } from '../../../node-api/node-context.ts';
import { NodeError } from '../../../node-api/node-error.ts';
import type { NodeType } from '../../../node-api/node-type.ts';
import type { TextDocument } from '../../../node-api/sub-nodes.ts';
import { estimateTokens } from '../chat-models/recorded-model.ts';
import { modelInput, rootNode } from '../describe.ts';
import { fileDocuments, jsonDocuments } from '../vectors/document-texts.ts';
import { splitRecursively } from '../vectors/split-text.ts';
import { inBatches, readBatching } from './batches.ts';
import { connectedModel } from './connected-model.ts';
import rules from './prompts.json' with { type: 'json' };

interface Prompts {
  summarizationMethod?: string;
  combineMapPrompt?: string;
  prompt?: string;
  refinePrompt?: string;
  refineQuestionPrompt?: string;
}

/** Tokens of a prompt that is sent at once. */
const FITS = 3000;
/** Rounds of shortening, so that a model that does not shorten ends too. */
const MAX_ROUNDS = 10;

export const summarization: NodeType = rootNode('chainSummarization', {
  description: 'Summarizes texts by a model.',
  subNodes: ({ get, version }) => [
    modelInput,
    ...(version < 2 || get('operationMode') === 'documentLoader'
      ? [{ kind: 'ai_document', label: 'Document', required: true, max: 1 } as const]
      : []),
    ...(get('chunkingMode') === 'advanced'
      ? [{ kind: 'ai_textSplitter', label: 'Text Splitter', max: 1 } as const]
      : []),
  ],
  async execute(context) {
    const batching = await readBatching(context, 'options.batching', context.version >= 2.1 ? 5 : 1);
    const results = await inBatches(context, batching, (item, index) => summarize(context, item, index));
    const name = context.version >= 2.1 ? 'output' : 'response';
    return [
      results.map((result, item) =>
        'failed' in result ? result.failed : { json: { [name]: result.value }, pairedItem: { item } },
      ),
    ];
  },
});

async function summarize(context: NodeContext, item: Item, index: number): Promise<object> {
  const model = await connectedModel(context, index);
  const texts = (await documents(context, item, index)).map(({ pageContent }) => pageContent);
  const prompts = await readPrompts(context, index);
  if (prompts.summarizationMethod === 'refine') return { output_text: await refine(model, texts, prompts) };
  const final = prompts.prompt ?? rules.summary;
  const shortened =
    prompts.summarizationMethod === 'stuff' ? texts : await mapTexts(context, model, texts, prompts);
  return { text: await ask(model, filled(final, { text: shortened.join('\n\n') })) };
}

async function readPrompts(context: NodeContext, index: number): Promise<Prompts> {
  if (context.version < 2) {
    const options = (await context.parameter<Prompts>('options', index, {})) ?? {};
    return { ...options, summarizationMethod: String(await context.parameter('type', index)) };
  }
  const values = await context.parameter<Prompts>('options.summarizationMethodAndPrompts.values', index, {});
  return { summarizationMethod: 'map_reduce', ...values };
}

async function documents(context: NodeContext, item: Item, index: number): Promise<TextDocument[]> {
  const mode = context.version < 2 ? 'documentLoader' : await context.parameter('operationMode', index);
  if (mode === 'documentLoader') {
    const [loader] = await context.subNodes('ai_document', index);
    if (!loader) throw new NodeError('A Document sub-node must be connected and enabled');
    return loader.load(item, index);
  }
  const found =
    mode === 'nodeInputBinary'
      ? await fileDocuments(
          context,
          item,
          index,
          await context.parameter('options.binaryDataKey', index, 'data'),
        )
      : jsonDocuments(item.json);
  const isAdvanced = (await context.parameter('chunkingMode', index)) === 'advanced';
  const [splitter] = isAdvanced ? await context.subNodes('ai_textSplitter', index) : [];
  const size = Math.max(1, Number(await context.parameter('chunkSize', index)) || 1000);
  const overlap = Math.min(
    size - 1,
    Math.max(0, Number(await context.parameter('chunkOverlap', index)) || 0),
  );
  const pieces: TextDocument[] = [];
  for (const { pageContent, metadata } of found) {
    const parts = splitter
      ? await splitter.split(pageContent)
      : splitRecursively(pageContent, { size, overlap });
    pieces.push(...parts.map((part) => ({ pageContent: part, metadata })));
  }
  return pieces;
}

/** Summarizes each text alone until the summaries fit into one prompt. */
async function mapTexts(
  context: NodeContext,
  model: ChatModel,
  texts: string[],
  { combineMapPrompt = rules.summary, prompt = rules.summary }: Prompts,
): Promise<string[]> {
  let current = texts;
  for (let round = 0; round < MAX_ROUNDS; round++) {
    context.signal.throwIfAborted();
    if (estimateTokens(filled(prompt, { text: current.join('\n\n') })) < FITS) break;
    current = await Promise.all(current.map((text) => ask(model, filled(combineMapPrompt, { text }))));
  }
  return current;
}

async function refine(model: ChatModel, texts: string[], prompts: Prompts): Promise<string> {
  const { refineQuestionPrompt = rules.summary, refinePrompt = rules.refine } = prompts;
  let summary = await ask(model, filled(refineQuestionPrompt, { text: texts[0] ?? '' }));
  for (const text of texts.slice(1)) {
    summary = await ask(model, filled(refinePrompt, { existing_answer: summary, text }));
  }
  return summary;
}

async function ask(model: ChatModel, content: string): Promise<string> {
  return (await model.ask({ messages: [{ role: 'user', content }] })).text;
}

function filled(template: string, values: Record<string, string>): string {
  return template.replace(/\{(\w+)\}/g, (placeholder, name: string) => values[name] ?? placeholder);
}
