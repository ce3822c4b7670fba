/** The requests of the crash test, in order, and the state that each leaves behind. */
import { createHash } from 'node:crypto';

/** A request, and how its effect is found later. */
export interface Operation {
  id: string;
  api: 'local-models' | 'image-workflows' | 'webhooks';
  method: string;
  path: string;
  body?: string | Uint8Array<ArrayBuffer>;
  /** `{workflow}` in a path stands for the id of the workflow that was created. */
  usesWorkflow?: boolean;
}

/** Text that differs for each version, long enough for several writes. */
export const contentOf = (version: string): string =>
  JSON.stringify({ version, text: version.repeat(30_000) });

/** Bytes of a blob. */
export const blob = new Uint8Array(400_000).map((_, at) => (at * 31) & 255);
export const blobDigest = `sha256:${createHash('sha256').update(blob).digest('hex')}`;

const workflow = {
  name: 'Crash',
  nodes: [
    {
      id: 'a',
      name: 'Webhook',
      type: 'n8n-nodes-base.webhook',
      typeVersion: 2,
      position: [0, 0],
      parameters: { path: 'crash', httpMethod: 'POST', responseMode: 'lastNode', options: {} },
    },
    {
      id: 'b',
      name: 'Edit',
      type: 'n8n-nodes-base.set',
      typeVersion: 3.4,
      position: [200, 0],
      parameters: {
        assignments: { assignments: [{ id: 'n', name: 'n', type: 'string', value: '={{ $json.body.n }}' }] },
        options: {},
      },
    },
  ],
  connections: { Webhook: { main: [[{ node: 'Edit', type: 'main', index: 0 }]] } },
  settings: { saveDataSuccessExecution: 'all' },
};

/** A graph that needs no model. */
const graph = (prefix: string, color: number) => ({
  '1': { class_type: 'EmptyImage', inputs: { width: 96, height: 64, batch_size: 1, color } },
  '2': { class_type: 'SaveImage', inputs: { images: ['1', 0], filename_prefix: prefix } },
});

const userFile = (name: string, version: string, query = ''): Operation => ({
  id: `user file ${name} ${version}`,
  api: 'image-workflows',
  method: 'POST',
  path: `/userdata/${name}${query}`,
  body: contentOf(version),
});
const prompt = (name: string): Operation => ({
  id: `prompt ${name}`,
  api: 'image-workflows',
  method: 'POST',
  path: '/prompt',
  body: JSON.stringify({ prompt: graph(name, 255), prompt_id: promptId(name) }),
});
const call = (n: number): Operation => ({
  id: `call ${n}`,
  api: 'webhooks',
  method: 'POST',
  path: '/webhook/crash',
  body: JSON.stringify({ n: String(n) }),
});

export const promptId = (name: string): string =>
  `00000000-0000-4000-8000-${createHash('sha256').update(name).digest('hex').slice(0, 12)}`;

export const PROMPTS = ['red', 'blue', 'green'];
export const CALLS = [1, 2, 3, 4];

export const OPERATIONS: Operation[] = [
  userFile('a.json', 'first'),
  userFile('a.json', 'second', '?overwrite=true'),
  userFile('b.json', 'only'),
  { id: 'settings', api: 'image-workflows', method: 'POST', path: '/settings', body: contentOf('settings') },
  prompt('red'),
  {
    id: 'blob',
    api: 'local-models',
    method: 'POST',
    path: `/api/blobs/${blobDigest}`,
    body: blob,
  },
  {
    id: 'workflow',
    api: 'webhooks',
    method: 'POST',
    path: '/api/v1/workflows',
    body: JSON.stringify(workflow),
  },
  {
    id: 'publish',
    api: 'webhooks',
    method: 'POST',
    path: '/api/v1/workflows/{workflow}/activate',
    usesWorkflow: true,
  },
  call(1),
  call(2),
  prompt('blue'),
  { id: 'delete b', api: 'image-workflows', method: 'DELETE', path: '/userdata/b.json' },
  call(3),
  userFile('a.json', 'third', '?overwrite=true'),
  prompt('green'),
  call(4),
];
