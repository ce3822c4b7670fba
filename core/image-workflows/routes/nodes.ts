/** GET /object_info: what nodes there are, with the choices as they are now. */
import type { Route } from '#core/http';
import { describeNode } from '../nodes/kernel/describe.ts';
import type { AnyNode, Inputs } from '../nodes/kernel/node-type.ts';
import { pythonJson, RawJson } from '../python/python-json.ts';
import type { ImageServer } from '../server.ts';
import { json } from './responses.ts';

export function nodeRoutes({ types, files }: ImageServer): Route[] {
  /** Of nodes whose choices no file changes: printed once. */
  const printed = new Map<AnyNode, RawJson>();
  const description = async (type: AnyNode): Promise<RawJson> => {
    const known = printed.get(type);
    if (known) return known;
    const made = new RawJson(pythonJson(await describeNode(type, files)));
    if (!hasListedChoices(type)) printed.set(type, made);
    return made;
  };
  return [
    {
      method: 'GET',
      path: '/object_info',
      handle: async () => {
        const all = [...types.values()].map(async (type) => [type.name, await description(type)] as const);
        return json(new Map(await Promise.all(all)));
      },
    },
    {
      method: 'GET',
      path: '/object_info/:name',
      handle: async ({ params }) => {
        const type = types.get(params.name!);
        return json(type ? { [type.name]: await description(type) } : {});
      },
    },
  ];
}

/** Some of its choices are files or models, looked up each time. */
function hasListedChoices(type: AnyNode): boolean {
  return Object.values(type.inputs as Inputs).some(
    (input) => typeof input.type !== 'string' && typeof input.type.choices === 'function',
  );
}
