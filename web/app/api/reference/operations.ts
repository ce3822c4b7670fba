import type { CodeRequest } from '../request-code.ts';

/** The parts of an OpenAPI document that the reference shows. */
export interface OpenApiDocument {
  info: { title: string; version: string };
  paths: Record<string, Record<string, OpenApiOperation>>;
  components?: { securitySchemes?: Record<string, { type: string; in?: string; name?: string }> };
}

interface OpenApiOperation {
  parameters?: { name: string }[];
  requestBody?: {
    content: Record<string, { schema: { properties?: Record<string, { type?: string }> } }>;
  };
}

/** A method and a path with its fields. */
export interface Operation {
  method: string;
  /** With names in braces, such as `/history/{prompt_id}`. */
  path: string;
  parameters: string[];
  /** The fields of the JSON body. `any`: the document states no type. */
  fields: { name: string; type: string }[];
}

const METHOD_ORDER = ['get', 'head', 'post', 'put', 'patch', 'delete'];

/** The operations of a document, by path and method. */
export function operationsOf({ paths }: OpenApiDocument): Operation[] {
  return Object.entries(paths)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([path, methods]) =>
      Object.entries(methods)
        .sort(([a], [b]) => METHOD_ORDER.indexOf(a) - METHOD_ORDER.indexOf(b))
        .map(([method, { parameters = [], requestBody }]) => ({
          method: method.toUpperCase(),
          path,
          parameters: parameters.map(({ name }) => name),
          fields: Object.entries(requestBody?.content['application/json']?.schema.properties ?? {}).map(
            ([name, { type = 'any' }]) => ({ name, type }),
          ),
        })),
    );
}

/** The header that carries the API key. Undefined when requests need none. */
export function keyHeader({ components }: OpenApiDocument): string | undefined {
  const schemes = Object.values(components?.securitySchemes ?? {});
  return schemes.find(({ type, in: place }) => type === 'apiKey' && place === 'header')?.name;
}

/** Fields that an example has, where the body takes them, with their values. */
const EXAMPLES: Record<string, unknown> = {
  messages: [{ role: 'user', content: 'Why is the sky blue?' }],
  input: 'Why is the sky blue?',
  max_tokens: 256,
  stream: false,
  name: 'Example',
  nodes: [],
  connections: {},
  settings: {},
};
/** A prompt is a text for models, and a graph for images. */
const PROMPTS: Record<string, unknown> = {
  string: 'Why is the sky blue?',
  object: {},
  any: 'Once upon a time',
};

/** A request with the fields that an example needs. */
export function exampleRequest({ method, path, fields }: Operation, model: string): CodeRequest {
  if (fields.length === 0) return { method, path };
  const values: [string, unknown][] = fields.flatMap(({ name, type }) => {
    if (name === 'model') return [[name, model]];
    if (name === 'prompt') return [[name, PROMPTS[type] ?? '']];
    return Object.hasOwn(EXAMPLES, name) ? [[name, EXAMPLES[name]]] : [];
  });
  const body = JSON.stringify(Object.fromEntries(values), null, 2);
  return { method, path, contentType: 'application/json', body };
}
