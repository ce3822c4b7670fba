/** Fails on purpose, or makes sample items: for trying error handling. */
import type { JsonObject } from '#core/workflow-format';
import type { NodeContext } from '../../node-api/node-context.ts';
import { NodeError } from '../../node-api/node-error.ts';
import type { NodeType } from '../../node-api/node-type.ts';
import { failedItem } from '../../node-api/per-item.ts';
import { pairedInput } from '../shared/paired-input.ts';
import { choice, number, text } from '../shared/parameters.ts';

const throwing = { category: ['throwError'] };
const random = { category: ['randomData'] };

export const debugHelper: NodeType = {
  name: 'n8n-nodes-base.debugHelper',
  label: 'DebugHelper',
  description: 'Fails on purpose, or makes sample items.',
  group: 'flow',
  versions: [1],
  inputs: 1,
  outputs: ['main'],
  parameters: [
    choice('category', 'Category', 'throwError', {
      literal: true,
      options: {
        doNothing: 'Do Nothing',
        throwError: 'Throw Error',
        oom: 'Out Of Memory',
        randomData: 'Generate Random Data',
      },
    }),
    choice('throwErrorType', 'Error Type', 'NodeApiError', {
      show: throwing,
      options: ['NodeApiError', 'NodeOperationError', 'Error'],
    }),
    text('throwErrorMessage', 'Error Message', { default: 'Node has thrown an error', show: throwing }),
    choice('randomDataType', 'Data Type', 'user', {
      show: random,
      options: [
        'address',
        'latLong',
        'creditCard',
        'email',
        'ipv4',
        'ipv6',
        'macAddress',
        'nanoid',
        'semver',
        'url',
        'user',
        'uuid',
        'version',
      ],
    }),
    number('randomDataCount', 'Number of Items to Return', 10, { minimum: 1, maximum: 1000, show: random }),
  ],
  issues: ({ get }) =>
    get('category') === 'oom' ? ['This server does not use up its memory on purpose'] : [],
  async execute(context) {
    const category = context.literal('category');
    if (category === 'throwError') return [[await fail(context)]];
    if (category === 'randomData') return [await randomItems(context)];
    return [pairedInput(context)];
  },
};

async function fail(context: NodeContext) {
  const name = String(await context.parameter('throwErrorType', 0));
  const message = String(await context.parameter('throwErrorMessage', 0));
  return failedItem(context, new NodeError(message, { name }), 0);
}

async function randomItems(context: NodeContext) {
  const type = String(await context.parameter('randomDataType', 0));
  const count = Math.min(1000, Math.max(1, Number(await context.parameter('randomDataCount', 0)) || 1));
  return Array.from({ length: count }, () => ({ json: randomJson(type), pairedItem: { item: 0 } }));
}

const below = (limit: number) => crypto.getRandomValues(new Uint32Array(1))[0]! % limit;
const pick = <T>(list: readonly T[]): T => list[below(list.length)]!;
const hex = (digits: number) => Array.from({ length: digits }, () => below(16).toString(16)).join('');
const numbers = (count: number, limit: number) => Array.from({ length: count }, () => below(limit));

const FIRST = ['Ada', 'Ben', 'Chi', 'Dara', 'Emil', 'Fay', 'Gil', 'Hana'];
const LAST = ['Adams', 'Berg', 'Costa', 'Diaz', 'Endo', 'Faye', 'Green', 'Holm'];

function randomJson(type: string): JsonObject {
  const firstname = pick(FIRST);
  const lastname = pick(LAST);
  const email = `${firstname}.${lastname}${below(1000)}@example.com`.toLowerCase();
  switch (type) {
    case 'uuid':
      return { uuid: crypto.randomUUID() };
    case 'nanoid':
      return { nanoId: hex(21) };
    case 'email':
      return { email, confirmed: below(2) === 1 };
    case 'url':
      return { url: `https://example.com/${hex(8)}` };
    case 'ipv4':
      return { ip: numbers(4, 256).join('.') };
    case 'ipv6':
      return { ipv6: Array.from({ length: 8 }, () => hex(4)).join(':') };
    case 'macAddress':
      return { mac: Array.from({ length: 6 }, () => hex(2)).join(':') };
    case 'semver':
    case 'version':
      return { version: numbers(3, 20).join('.') };
    case 'latLong':
      return { latitude: below(180) - 90, longitude: below(360) - 180 };
    case 'address':
      return {
        street: `${below(200) + 1} Main Street`,
        city: pick(['Oslo', 'Lima', 'Pune']),
        zip: String(10_000 + below(90_000)),
      };
    case 'creditCard':
      return {
        type: pick(['Visa', 'Mastercard']),
        number: numbers(16, 10).join(''),
        ccv: numbers(3, 10).join(''),
      };
    default:
      return { uid: crypto.randomUUID(), email, firstname, lastname, password: hex(12) };
  }
}
