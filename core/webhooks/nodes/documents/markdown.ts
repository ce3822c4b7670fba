/** Converts between Markdown and HTML. The libraries are those of the real system, so that texts are the same. */
import { Lazy } from '#core/base';
import { type Item, type JsonObject, setPath } from '#core/workflow-format';
import type { NodeContext } from '../../node-api/node-context.ts';
import type { NodeType } from '../../node-api/node-type.ts';
import { perItem } from '../../node-api/per-item.ts';
import { choice, flag, number, options, text } from '../shared/parameters.ts';

const toHtml = { mode: ['markdownToHtml'] };
const toMarkdown = { mode: ['htmlToMarkdown'] };

/** Loaded with the first text. */
const showdown = new Lazy(async () => (await import('showdown')).default);
const reader = new Lazy(() => import('node-html-markdown'));

/** Options that turn something on. */
const HTML_FLAGS = [
  'completeHTMLDocument',
  'customizedHeaderId',
  'disableForced4SpacesIndentedSublists',
  'emoji',
  'encodeEmails',
  'excludeTrailingPunctuationFromURLs',
  'ghCodeBlocks',
  'ghCompatibleHeaderId',
  'ghMentions',
  'headerLevelStart',
  'literalMidWordUnderscores',
  'metadata',
  'noHeaderId',
  'openLinksInNewWindow',
  'parseImgDimensions',
  'prefixHeaderId',
  'rawHeaderId',
  'rawPrefixHeaderId',
  'requireSpaceBeforeHeadingText',
  'simpleLineBreaks',
  'simplifiedAutoLink',
  'smoothLivePreview',
  'splitAdjacentBlockquotes',
  'strikethrough',
  'tables',
  'tablesHeaderId',
  'tasklists',
  'underline',
];

export const markdown: NodeType = {
  name: 'n8n-nodes-base.markdown',
  label: 'Markdown',
  description: 'Turns Markdown into HTML, or HTML into Markdown.',
  group: 'data',
  versions: [1],
  inputs: 1,
  outputs: ['main'],
  parameters: [
    choice('mode', 'Mode', 'htmlToMarkdown', {
      options: { markdownToHtml: 'Markdown to HTML', htmlToMarkdown: 'HTML to Markdown' },
    }),
    text('html', 'HTML', { required: true, rows: 5, show: toMarkdown }),
    text('markdown', 'Markdown', { required: true, rows: 5, show: toHtml }),
    text('destinationKey', 'Destination Key', { default: 'data', required: true }),
    options({
      show: toMarkdown,
      fields: [
        text('blockElements', 'Block Elements'),
        text('bulletMarker', 'Bullet Marker', { default: '*' }),
        text('codeFence', 'Code Block Fence', { default: '```' }),
        text('emDelimiter', 'Emphasis Delimiter', { default: '_' }),
        text('strongDelimiter', 'Strong Delimiter', { default: '**' }),
        text('ignore', 'Ignored Elements'),
        flag('keepDataImages', 'Keep Images With Data'),
        number('maxConsecutiveNewlines', 'Max Consecutive New Lines', 3, { minimum: 1 }),
        flag('useLinkReferenceDefinitions', 'Place URLs at the Bottom'),
      ],
    }),
    options({ show: toHtml, fields: HTML_FLAGS.map((name) => flag(name, name)) }),
  ],
  execute: (context) =>
    perItem(context, async (item, index) => {
      const isToHtml = (await context.parameter('mode', index)) === 'markdownToHtml';
      const source = String((await context.parameter(isToHtml ? 'markdown' : 'html', index, '')) ?? '');
      const chosen = (await context.parameter<JsonObject>('options', index, {})) ?? {};
      const result = isToHtml ? await htmlOf(source, chosen) : await markdownOf(source, chosen);
      return withField(context, item, index, result);
    }),
};

async function withField(context: NodeContext, item: Item, index: number, value: string): Promise<Item> {
  const json = structuredClone(item.json);
  setPath(json, String((await context.parameter('destinationKey', index)) || 'data'), value);
  return { json, ...(item.binary && { binary: item.binary }) };
}

async function htmlOf(source: string, chosen: JsonObject): Promise<string> {
  const { Converter } = await showdown.get();
  const converter = new Converter();
  for (const [name, value] of Object.entries(chosen)) converter.setOption(name, value);
  return converter.makeHtml(source);
}

async function markdownOf(source: string, { blockElements, ignore, ...rest }: JsonObject): Promise<string> {
  const { NodeHtmlMarkdown } = await reader.get();
  const list = (value: unknown) => (typeof value === 'string' && value !== '' ? value.split(',') : undefined);
  const blocks = list(blockElements);
  const ignored = list(ignore);
  const converted = {
    ...rest,
    ...(blocks && { blockElements: blocks }),
    ...(ignored && { ignore: ignored }),
  };
  return new NodeHtmlMarkdown(converted as never).translate(source);
}
