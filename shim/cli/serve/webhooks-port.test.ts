import { expect, it } from 'vitest';
import { parsePorts } from '../../ports/port-choice.ts';
import { withWebhooksPort } from './webhooks-port.ts';

const webhooks = (set: string | undefined, ports?: string) => {
  const { ports: chosen, notices } = withWebhooksPort(parsePorts(ports), { N8N_PORT: set });
  const { port, explicit } = chosen.find(({ name }) => name === 'webhooks')!;
  return { port, explicit, notices };
};

it.each([
  [undefined, undefined, { port: 5678, explicit: false, notices: [] }],
  ['5999', undefined, { port: 5999, explicit: true, notices: [] }],
  ['5999', 'webhooks=6000', { port: 6000, explicit: true, notices: [] }],
  ['5999', 'webhooks=off', { port: undefined, explicit: false, notices: [] }],
  [
    'x',
    undefined,
    { port: 5678, explicit: false, notices: [expect.stringContaining("'x' is not a port number")] },
  ],
  ['70000', undefined, { port: 5678, notices: [expect.stringContaining('70000')] }],
])('N8N_PORT %j with --ports %j', (set, ports, expected) => {
  expect(webhooks(set, ports)).toMatchObject(expected);
});

it('leaves the other ports alone', () => {
  const before = parsePorts(undefined);
  const { ports } = withWebhooksPort(before, { N8N_PORT: '5999' });
  expect(ports.filter(({ name }) => name !== 'webhooks')).toEqual(
    before.filter(({ name }) => name !== 'webhooks'),
  );
});
