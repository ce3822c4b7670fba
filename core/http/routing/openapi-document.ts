import { TABD_VERSION } from '#core/base';
import type { ApiName } from '../apis.ts';
import type { Route } from './api.ts';
import requestFields from './request-fields.json' with { type: 'json' };

const TITLES: Record<ApiName, string> = {
  'local-models': "Local models: Ollama's API with the dialects of OpenAI and Anthropic",
  'image-workflows': "Image workflows: ComfyUI's API",
  webhooks: "Workflows: n8n's control API",
};
/**
 * An OpenAPI 3.1 document of routes. Types of fields are those that the real systems document; fields may be left out,
 * and unknown ones are ignored.
 */
export function openApiDocument(name: ApiName, routes: readonly Route[]): Record<string, unknown> {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const route of routes) {
    if (route.method === '*' || isAlias(name, route)) continue;
    const { path, parameters } = templateOf(route.path);
    paths[path] ??= {};
    paths[path][route.method.toLowerCase()] = operationOf(route.method, path, parameters);
  }
  return {
    openapi: '3.1.0',
    info: { title: TITLES[name], version: TABD_VERSION },
    paths,
    ...(name === 'webhooks' && {
      components: { securitySchemes: { key: { type: 'apiKey', in: 'header', name: 'X-N8N-API-KEY' } } },
      security: [{ key: [] }],
    }),
  };
}

/** ComfyUI's paths exist below `/api`, too. */
function isAlias(name: ApiName, { path }: Route): boolean {
  return name === 'image-workflows' && path.startsWith('/api/');
}

/** `/models/:folder/*path` -> `/models/{folder}/{path}` */
function templateOf(path: string): { path: string; parameters: string[] } {
  const parameters: string[] = [];
  const template = path.replace(/[:*](\w+)/g, (_, parameter: string) => {
    parameters.push(parameter);
    return `{${parameter}}`;
  });
  return { path: template, parameters };
}

function operationOf(method: string, path: string, parameters: string[]): Record<string, unknown> {
  const fields = (requestFields as Record<string, Record<string, string>>)[`${method} ${path}`];
  return {
    operationId: `${method.toLowerCase()}${path.replace(/[^A-Za-z0-9]+/g, '_')}`,
    ...(parameters.length > 0 && {
      parameters: parameters.map((parameter) => ({
        name: parameter,
        in: 'path',
        required: true,
        schema: { type: 'string', minLength: 1 },
      })),
    }),
    ...(fields && { requestBody: { content: { 'application/json': { schema: schemaOf(fields) } } } }),
    responses: { default: { description: 'The answer, or an error in the format of the API.' } },
  };
}

function schemaOf(fields: Record<string, string>): Record<string, unknown> {
  const properties = Object.entries(fields).map(([name, type]) => [name, type === 'any' ? {} : { type }]);
  return { type: 'object', properties: Object.fromEntries(properties) };
}
