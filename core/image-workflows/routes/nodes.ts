/** GET /object_info: what nodes there are, with the choices as they are now. */
import type { Route } from '../../http/api.ts';
import { describeNode } from '../nodes/describe.ts';
import type { ImageServer } from '../server.ts';
import { json } from './answers.ts';

export function nodeRoutes({ types, files }: ImageServer): Route[] {
  return [
    {
      method: 'GET',
      path: '/object_info',
      handle: async () => {
        const all = [...types.values()].map(
          async (type) => [type.name, await describeNode(type, files)] as const,
        );
        return json(new Map(await Promise.all(all)));
      },
    },
    {
      method: 'GET',
      path: '/object_info/:name',
      handle: async ({ params }) => {
        const type = types.get(params.name!);
        return json(type ? { [type.name]: await describeNode(type, files) } : {});
      },
    },
  ];
}
