/** Makes HTML of a template or of items, and reads values out of HTML. */
import type { Item, JsonObject, Parameter } from '#core/workflow-format';
import type { NodeContext } from '../../node-api/node-context.ts';
import { NodeError } from '../../node-api/node-error.ts';
import type { NodeType } from '../../node-api/node-type.ts';
import { perItem } from '../../node-api/per-item.ts';
import { choice, fixedCollectionList, flag, group, options, sourceCode, text } from '../shared/parameters.ts';
import { type Extraction, type ExtractionRules, extractValues } from './html/extract.ts';
import { type HtmlTableOptions, htmlTable } from './html/table.ts';

const extraction = { operation: ['extractHtmlContent'] };
const table = { operation: ['convertToHtmlTable'] };

/** Where the HTML is and what to read of it. */
const extractionParameters: Parameter[] = [
  choice('sourceData', 'Source Data', 'json', { options: { binary: 'Binary', json: 'JSON' } }),
  text('dataPropertyName', 'Property', { default: 'data', required: true }),
  fixedCollectionList('extractionValues', 'Extraction Values', {
    groups: [
      group('values', 'Value', [
        text('key', 'Key'),
        text('cssSelector', 'CSS Selector', { placeholder: '.price' }),
        choice('returnValue', 'Return Value', 'text', {
          options: { attribute: 'Attribute', html: 'HTML', text: 'Text', value: 'Value' },
        }),
        text('attribute', 'Attribute', { show: { returnValue: ['attribute'] } }),
        text('skipSelectors', 'Skip Selectors', { show: { returnValue: ['text'] } }),
        flag('returnArray', 'Return Array'),
      ]),
    ],
  }),
];

export const html: NodeType = {
  name: 'n8n-nodes-base.html',
  label: 'HTML',
  description: 'Makes HTML of a template or of items, and reads values out of HTML.',
  group: 'data',
  versions: [1, 1.1, 1.2],
  inputs: 1,
  outputs: ['main'],
  parameters: [
    choice('operation', 'Operation', 'generateHtmlTemplate', {
      literal: true,
      options: {
        generateHtmlTemplate: 'Generate HTML Template',
        extractHtmlContent: 'Extract HTML Content',
        convertToHtmlTable: 'Convert to HTML Table',
      },
    }),
    sourceCode('html', 'HTML Template', 'html', {
      default: '<!DOCTYPE html>\n<html>\n<body>\n  <h1>{{ $json.name }}</h1>\n</body>\n</html>\n',
      literal: true,
      rows: 12,
      show: { operation: ['generateHtmlTemplate'] },
    }),
    ...extractionParameters.map((parameter): Parameter => ({ ...parameter, show: extraction })),
    options({
      show: extraction,
      fields: [flag('trimValues', 'Trim Values', { default: true }), flag('cleanUpText', 'Clean Up Text')],
    }),
    options({
      show: table,
      fields: [
        flag('capitalize', 'Capitalize Headers'),
        flag('customStyling', 'Custom Styling'),
        text('caption', 'Caption'),
        text('tableAttributes', 'Table Attributes'),
        text('headerAttributes', 'Header Attributes'),
        text('rowAttributes', 'Row Attributes'),
        text('cellAttributes', 'Cell Attributes'),
      ],
    }),
  ],
  async execute(context) {
    switch (context.literal('operation')) {
      case 'extractHtmlContent':
        return perItem(context, (item, index) => extract(context, item, index, rulesOf));
      case 'convertToHtmlTable':
        return [[await tableItem(context)]];
      default:
        return perItem(context, async (_item, index) => ({
          json: { html: await fillTemplate(context, index) },
        }));
    }
  },
};

export const htmlExtract: NodeType = {
  name: 'n8n-nodes-base.htmlExtract',
  label: 'HTML Extract',
  description: 'Reads values out of HTML by CSS selectors. Newer workflows use the HTML node.',
  group: 'data',
  versions: [1],
  inputs: 1,
  outputs: ['main'],
  parameters: [
    ...extractionParameters,
    options({ fields: [flag('trimValues', 'Trim Values', { default: true })] }),
  ],
  execute: (context) =>
    perItem(context, (item, index) =>
      extract(context, item, index, (_context, { trimValues }) => ({
        trim: trimValues !== false,
        cleanUp: false,
        omitsEmptyText: false,
        readable: false,
      })),
    ),
};

/** Its default counts only where the option is stored. */
function rulesOf({ version }: NodeContext, options: JsonObject): ExtractionRules {
  return {
    trim: options.trimValues === true,
    cleanUp: options.cleanUpText === true,
    omitsEmptyText: version < 1.2,
    readable: version >= 1.2,
  };
}

/** Expressions stand in the template without the `=` of other parameters. */
async function fillTemplate(context: NodeContext, index: number): Promise<string> {
  const template = context.literal('html', '');
  return String(await context.evaluate(template.startsWith('=') ? template : `=${template}`, index));
}

async function extract(
  context: NodeContext,
  item: Item,
  index: number,
  rules: (context: NodeContext, options: JsonObject) => ExtractionRules,
): Promise<Item[]> {
  const extractions = await context.parameter<Extraction[]>('extractionValues.values', index, []);
  const options = (await context.parameter<JsonObject>('options', index, {})) ?? {};
  const documents = await readDocuments(context, item, index);
  const outputs: Item[] = [];
  for (const document of documents) {
    const json = await extractValues(String(document), extractions ?? [], rules(context, options));
    outputs.push({ json, pairedItem: { item: index } });
  }
  return outputs;
}

async function readDocuments(context: NodeContext, item: Item, index: number): Promise<unknown[]> {
  const name = String(await context.parameter('dataPropertyName', index));
  if ((await context.parameter('sourceData', index)) === 'binary') {
    const file = context.binary.require(item, name, index);
    return [new TextDecoder().decode(await context.binary.bytes(file))];
  }
  const value = item.json[name];
  if (value === undefined) {
    throw new NodeError(`No property named "${name}" exists!`, { itemIndex: index });
  }
  return Array.isArray(value) ? value : [value];
}

async function tableItem(context: NodeContext): Promise<Item> {
  const options = (await context.parameter<HtmlTableOptions>('options', 0, {})) ?? {};
  const rows = context.items().map(({ json }) => json);
  return { json: { table: htmlTable(rows, options) }, pairedItem: rows.map((_, item) => ({ item })) };
}
