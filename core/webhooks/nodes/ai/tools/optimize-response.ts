/** Shortens responses for models: the option "Optimize Response" of the HTTP Request tool. */
import type { Item, NodeOutput, Parameter } from '#core/workflow-format';
import type { NodeContext } from '../../../node-api/node-context.ts';
import { choice, flag, number, text } from '../../shared/parameters.ts';

const shown = { optimizeResponse: [true] };

export const optimizerParameters: Parameter[] = [
  flag('optimizeResponse', 'Optimize Response', { description: 'Sends the model less text.' }),
  choice('responseType', 'Expected Response Type', 'json', {
    show: shown,
    options: { json: 'JSON', html: 'HTML', text: 'Text' },
  }),
  text('dataField', 'Field Containing Data', { show: { ...shown, responseType: ['json'] } }),
  choice('fieldsToInclude', 'Include Fields', 'all', {
    show: { ...shown, responseType: ['json'] },
    options: { all: 'All', selected: 'Selected', except: 'Exclude' },
  }),
  text('fields', 'Fields', { show: { ...shown, responseType: ['json'] } }),
  flag('onlyContent', 'Return Only Content', { show: { ...shown, responseType: ['html'] } }),
  flag('truncateResponse', 'Truncate Response', { show: shown }),
  number('maxLength', 'Max Response Characters', 1000, { show: { ...shown, truncateResponse: [true] } }),
];

/** The output, shortened as the node says. */
export async function optimizedItems(context: NodeContext, output: NodeOutput): Promise<NodeOutput> {
  if ((await context.parameter('optimizeResponse', 0)) !== true) return output;
  const [items] = output;
  return [await Promise.all((items ?? []).map((item) => shortened(context, item)))];
}

async function shortened(context: NodeContext, item: Item): Promise<Item> {
  const type = await context.parameter('responseType', 0);
  const json =
    type === 'json' ? await chosenFields(context, item) : { data: await plainData(context, item, type) };
  if ((await context.parameter('truncateResponse', 0)) !== true) return { ...item, json };
  const length = Math.max(1, Number(await context.parameter('maxLength', 0)) || 1000);
  const complete = type === 'json' ? JSON.stringify(json) : String(json.data);
  if (complete.length <= length) return { ...item, json };
  return { ...item, json: { data: complete.slice(0, length) } };
}

async function plainData(context: NodeContext, { json }: Item, type: unknown): Promise<string> {
  const data = typeof json.data === 'string' ? json.data : JSON.stringify(json);
  if (type !== 'html') return data;
  const body = /<body[^>]*>([\s\S]*?)<\/body>/i.exec(data)?.[1] ?? data;
  const isBare = (await context.parameter('onlyContent', 0)) === true;
  return JSON.stringify([isBare ? textOf(body) : body.trim()], null, 2);
}

function textOf(html: string): string {
  return html
    .replace(/<(script|style)[\s\S]*?<\/\1>/gi, '')
    .replace(/<[^>]+>/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
}

async function chosenFields(context: NodeContext, { json }: Item): Promise<Item['json']> {
  const mode = await context.parameter('fieldsToInclude', 0);
  if (mode !== 'selected' && mode !== 'except') return json;
  const names = String((await context.parameter('fields', 0)) ?? '')
    .split(',')
    .map((name) => name.trim());
  return Object.fromEntries(
    Object.entries(json).filter(([name]) => names.includes(name) === (mode === 'selected')),
  );
}
