/** How long a small request waits while the shim reads a large body: the longest time that one body keeps its event loop. */
import { Agent, request } from 'node:http';
import { makeHome, removeHome } from '#test/support/processes/node-home.ts';
import { type ShimPorts, startShim } from '#test/support/processes/shim.ts';
import { webhookNode } from '#test/support/webhooks/webhook-server.ts';
import { workflowOf } from '#test/support/webhooks/workflow-builder.ts';
import { workflowControl } from '#test/support/webhooks/workflow-control.ts';
import type { Figure } from '../figure.ts';
import { median } from '../statistics.ts';

const ROUNDS = 5;
const MIB = 1024 * 1024;
const JSON_ROW = '{"id":12345,"name":"a name","tags":["x","y"],"ok":true},';
const JSON_ROWS = `[${JSON_ROW.repeat((15 * MIB) / JSON_ROW.length)}null]`;
const XML_ROW = '<item id="1"><name>a name</name><tag/>text</item>';
const FORM_FIELD = `field=${'%41b+'.repeat(3000)}&`;

interface Body {
  what: string;
  port: keyof ShimPorts;
  path: string;
  type: string;
  body: string;
  /** The status of the answer. */
  status: number;
}

const webhook = (what: string, type: string, body: string): Body => ({
  what: `${what} to a webhook`,
  port: 'webhooks',
  path: '/webhook/bodies',
  type,
  body,
  status: 200,
});

const BODIES: Body[] = [
  webhook('15 MiB of JSON', 'application/json', JSON_ROWS),
  webhook('15 MiB of XML', 'application/xml', `<r>${XML_ROW.repeat((15 * MIB) / XML_ROW.length)}</r>`),
  webhook('15 MiB of a form', 'application/x-www-form-urlencoded', FORM_FIELD.repeat(1000)),
  webhook(
    '15 MiB of multipart fields',
    'multipart/form-data; boundary=b',
    `${`--b\r\nContent-Disposition: form-data; name="f"\r\n\r\n${'x\r\n'.repeat(5000)}\r\n`.repeat(999)}--b--`,
  ),
  {
    what: '15 MiB of JSON to /api/chat',
    port: 'local-models',
    path: '/api/chat',
    type: 'application/json',
    body: `{"model":"absent","options":{"stop":${JSON_ROWS.replaceAll(/\{.*?\}/g, '"x"')}}}`,
    status: 404,
  },
  {
    what: '15 MiB of JSON to /prompt',
    port: 'image-workflows',
    path: '/prompt',
    type: 'application/json',
    body: `{"prompt":{},"extra_data":{"rows":${JSON_ROWS}}}`,
    status: 400,
  },
];

export default async function* bodies(): AsyncIterable<Figure> {
  const home = await makeHome([]);
  const shim = await startShim(home, { env: { N8N_PAYLOAD_SIZE_MAX: '32' } });
  try {
    const { nodes, connections } = workflowOf(
      { Webhook: webhookNode('bodies', { responseMode: 'onReceived' }) },
      [],
    );
    const { publish } = await workflowControl(home);
    await publish({ name: 'Bodies', nodes, connections, settings: {} });
    for (const body of BODIES) {
      const waits: number[] = [];
      for (let round = 0; round < ROUNDS; round++) waits.push(await longestWait(shim.ports, body));
      yield { name: `bodies: ms that others wait at most, ${body.what}`, value: median(waits), aim: '<= 50' };
    }
  } finally {
    await shim.stop();
    await removeHome(home);
  }
}

/** Milliseconds of the slowest small request while `body` is answered. */
async function longestWait(ports: ShimPorts, { port, path, type, body, status }: Body): Promise<number> {
  const probe = new Agent({ keepAlive: true, maxSockets: 1 });
  const small = () => send({ port: ports['local-models'], path: '/api/version', agent: probe });
  await small();
  let isAnswered = false;
  const answered = send({
    port: ports[port],
    path,
    method: 'POST',
    headers: { 'content-type': type },
    body: Buffer.from(body),
  }).finally(() => {
    isAnswered = true;
  });
  let longest = 0;
  while (!isAnswered) {
    const started = performance.now();
    await small();
    longest = Math.max(longest, performance.now() - started);
  }
  probe.destroy();
  const got = await answered;
  if (got !== status) throw new Error(`${path}: ${got} instead of ${status}`);
  return longest;
}

interface Sent {
  port: number;
  path: string;
  method?: string;
  headers?: Record<string, string>;
  body?: Buffer;
  agent?: Agent;
}

/** The status of the answer, when all of it was read. */
function send({ body, ...options }: Sent): Promise<number> {
  return new Promise((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', ...options }, (response) => {
      response.resume();
      response.on('end', () => resolve(response.statusCode ?? 0));
    });
    sent.on('error', reject);
    sent.end(body);
  });
}
