/** The older HTTP tool of agents: an address, query, headers and body with `{placeholders}`. */
import { isObject } from '#core/base';
import type { JsonObject } from '#core/workflow-format';
import type { JsonSchema } from '../../../node-api/chat.ts';
import { NodeError } from '../../../node-api/node-error.ts';
import type { NodeType } from '../../../node-api/node-type.ts';
import type { SubNodeContext } from '../../../node-api/sub-node-context.ts';
import { subNode } from '../describe.ts';
import { documentSchema } from '../schema/normal-schema.ts';
import { makeTool } from './make-tool.ts';

interface Placeholder {
  name: string;
  description?: string;
  type?: string;
}

interface Field {
  name?: string;
  valueProvider?: string;
  value?: unknown;
}

export const httpTool: NodeType = subNode('toolHttpRequest', {
  description: 'Sends requests when an agent asks for them. The HTTP Request node as a tool is newer.',
  supplies: 'ai_tool',
  async supply(context, itemIndex) {
    const description = String((await context.parameter('toolDescription', itemIndex)) ?? '');
    const template = await readTemplate(context, itemIndex);
    const schema = await placeholderSchema(context, itemIndex, template);
    return makeTool(context, { description, schema }, (input) =>
      send(context, filledTemplate(template, isObject(input) ? input : {})),
    );
  },
});

interface Template {
  method: string;
  url: string;
  query: [name: string, value: string][];
  headers: [name: string, value: string][];
  body: unknown;
}

async function readTemplate(context: SubNodeContext, itemIndex: number): Promise<Template> {
  const get = (path: string) => context.parameter<unknown>(path, itemIndex);
  const fields = async (part: 'Query' | 'Headers') =>
    (await get(`send${part}`)) === true
      ? fieldPairs((await get(`parameters${part}.values`)) as Field[] | undefined)
      : [];
  const bodyFields = fieldPairs((await get('parametersBody.values')) as Field[] | undefined);
  const hasBody = (await get('sendBody')) === true;
  const isJson = (await get('specifyBody')) === 'json';
  return {
    method: String((await get('method')) ?? 'GET'),
    url: String((await get('url')) ?? ''),
    query: await fields('Query'),
    headers: await fields('Headers'),
    body: hasBody ? (isJson ? String(await get('jsonBody')) : Object.fromEntries(bodyFields)) : undefined,
  };
}

function fieldPairs(fields: Field[] | undefined): [string, string][] {
  return (fields ?? [])
    .filter(({ name }) => name)
    .map(({ name, valueProvider, value }) => [
      name!,
      valueProvider === 'fieldValue' ? String(value ?? '') : `{${name}}`,
    ]);
}

async function placeholderSchema(
  context: SubNodeContext,
  itemIndex: number,
  template: Template,
): Promise<JsonSchema> {
  const defined = await context.parameter<Placeholder[]>('placeholderDefinitions.values', itemIndex, []);
  const definitions = new Map((defined ?? []).map((placeholder) => [placeholder.name, placeholder]));
  const names = [...new Set([...JSON.stringify(template).matchAll(/\{(\w+)\}/g)].map(([, name]) => name!))];
  const properties = Object.fromEntries(
    names.map((name) => {
      const { type = 'string', description } = definitions.get(name) ?? {};
      return [
        name,
        { ...(type !== 'json' && type !== 'not specified' && { type }), ...(description && { description }) },
      ];
    }),
  );
  return documentSchema({ type: 'object', properties, required: names });
}

function filledTemplate(template: Template, args: JsonObject): Template {
  const fill = (text: string, encode = false) =>
    text.replace(/\{(\w+)\}/g, (placeholder, name: string) => {
      if (!Object.hasOwn(args, name)) return placeholder;
      const value = args[name];
      const shown = typeof value === 'string' ? value : JSON.stringify(value);
      return encode ? encodeURIComponent(shown) : shown;
    });
  const pairs = (list: [string, string][]) =>
    list.map(([name, value]) => [name, fill(value)] as [string, string]);
  const { body } = template;
  return {
    method: template.method,
    url: fill(template.url, true),
    query: pairs(template.query),
    headers: pairs(template.headers),
    body: isObject(body)
      ? Object.fromEntries(Object.entries(body).map(([name, value]) => [name, fill(String(value))]))
      : typeof body === 'string'
        ? fill(body)
        : undefined,
  };
}

async function send(
  context: SubNodeContext,
  { method, url, query, headers, body }: Template,
): Promise<string> {
  const address = new URL(url);
  for (const [name, value] of query) address.searchParams.append(name, value);
  const response = await context.network.fetch(address.href, {
    method,
    headers: {
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...Object.fromEntries(headers),
    },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    signal: context.signal,
  });
  const text = await response.text();
  if (!response.ok)
    throw new NodeError(`HTTP ${response.status} There was an error: "${text.slice(0, 1000)}"`);
  return text;
}
