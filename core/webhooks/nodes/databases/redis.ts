/** Reads and writes keys of Redis. */
import type { RedisClient, RedisReply } from '#core/host';
import { type Item, type JsonObject, setPath } from '#core/workflow-format';
import type { NodeContext } from '../../node-api/node-context.ts';
import { NodeError } from '../../node-api/node-error.ts';
import type { NodeType } from '../../node-api/node-type.ts';
import { perItem } from '../../node-api/per-item.ts';
import { choice, flag, number, options, text } from '../shared/parameters.ts';
import { redisSettings } from './redis-settings.ts';
import { withClient } from './with-client.ts';

const of = (...operation: string[]) => ({ operation });
const KEY_TYPES = { automatic: 'Automatic', hash: 'Hash', list: 'List', sets: 'Sets', string: 'String' };

export const redis: NodeType = {
  name: 'n8n-nodes-base.redis',
  label: 'Redis',
  description: 'Reads and writes keys of a Redis database.',
  group: 'network',
  versions: [1],
  inputs: 1,
  outputs: ['main'],
  needsClients: true,
  credentials: [{ type: 'redis', required: true }],
  parameters: [
    choice('operation', 'Operation', 'info', {
      literal: true,
      options: {
        delete: 'Delete',
        get: 'Get',
        incr: 'Increment',
        info: 'Info',
        keys: 'Keys',
        llen: 'List Length',
        pop: 'Pop',
        publish: 'Publish',
        push: 'Push',
        set: 'Set',
      },
    }),
    text('propertyName', 'Name', { default: 'propertyName', required: true, show: of('get') }),
    text('key', 'Key', { required: true, show: of('delete', 'get', 'incr', 'set') }),
    text('keyPattern', 'Key Pattern', { required: true, show: of('keys') }),
    flag('getValues', 'Get Values', { default: true, show: of('keys') }),
    text('list', 'List', { required: true, show: of('llen', 'pop', 'push') }),
    text('messageData', 'Data', { required: true, show: of('push', 'publish') }),
    text('channel', 'Channel', { required: true, show: of('publish') }),
    flag('tail', 'Tail', { show: of('pop', 'push') }),
    text('propertyName', 'Name', { default: 'propertyName', show: of('pop') }),
    text('value', 'Value', { show: of('set') }),
    choice('keyType', 'Key Type', 'automatic', { options: KEY_TYPES, show: of('get', 'set') }),
    flag('valueIsJSON', 'Value Is JSON', { default: true, show: { ...of('set'), keyType: ['hash'] } }),
    flag('expire', 'Expire', { show: of('incr', 'set') }),
    number('ttl', 'TTL', 60, { minimum: 1, show: { ...of('incr', 'set'), expire: [true] } }),
    options({
      show: of('get', 'pop'),
      fields: [flag('dotNotation', 'Support Dot Notation', { default: true })],
    }),
  ],
  async execute(context) {
    const operation = context.literal<string>('operation');
    const run = operations[operation];
    if (!Object.hasOwn(operations, operation) || !run)
      throw new NodeError(`Unknown operation "${operation}"`);
    return withClient(context, 'redis', redisSettings(await context.credential('redis')), (client) =>
      perItem(context, (item, index) => run({ context, client, item, index })),
    );
  },
};

interface Call {
  context: NodeContext;
  client: RedisClient;
  item: Item;
  index: number;
}

const operations: Record<string, (call: Call) => Promise<Item>> = {
  async delete({ context, client, item, index }) {
    await client.send(['DEL', await textAt(context, 'key', index)]);
    return item;
  },
  async get({ context, client, index }) {
    const keyType = String(await context.parameter('keyType', index));
    const value = await getValue(client, await textAt(context, 'key', index), keyType);
    return { json: await named(context, value, index) };
  },
  async incr({ context, client, index }) {
    const key = await textAt(context, 'key', index);
    const value = await client.send(['INCR', key]);
    await expire({ context, client, index }, key);
    return { json: { [key]: value } };
  },
  async info({ client }) {
    return { json: infoOf(String(await client.send(['INFO']))) };
  },
  async keys({ context, client, index }) {
    const keys = (await client.send(['KEYS', await textAt(context, 'keyPattern', index)])) as string[];
    if ((await context.parameter('getValues', index)) === false) return { json: { keys } };
    const json: JsonObject = {};
    for (const key of keys) json[key] = await getValue(client, key, 'automatic');
    return { json };
  },
  async llen({ context, client, index }) {
    const list = await textAt(context, 'list', index);
    return { json: { [list]: await client.send(['LLEN', list]) } };
  },
  async pop({ context, client, index }) {
    const command = (await context.parameter('tail', index)) === true ? 'RPOP' : 'LPOP';
    const value = await client.send([command, await textAt(context, 'list', index)]);
    return { json: await named(context, parsed(value), index) };
  },
  async publish({ context, client, item, index }) {
    await client.send([
      'PUBLISH',
      await textAt(context, 'channel', index),
      await textAt(context, 'messageData', index),
    ]);
    return item;
  },
  async push({ context, client, item, index }) {
    const command = (await context.parameter('tail', index)) === true ? 'RPUSH' : 'LPUSH';
    await client.send([
      command,
      await textAt(context, 'list', index),
      await textAt(context, 'messageData', index),
    ]);
    return item;
  },
  async set({ context, client, item, index }) {
    const key = await textAt(context, 'key', index);
    const value = await context.parameter<unknown>('value', index);
    const keyType = String(await context.parameter('keyType', index));
    const isJson = (await context.parameter('valueIsJSON', index)) !== false;
    for (const command of setCommands(key, value, keyType, isJson)) await client.send(command);
    await expire({ context, client, index }, key);
    return item;
  },
};

async function textAt(context: NodeContext, name: string, index: number): Promise<string> {
  return plainText(await context.parameter<unknown>(name, index));
}

const plainText = (value: unknown) =>
  typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value ?? '');

async function expire({ context, client, index }: Omit<Call, 'item'>, key: string): Promise<void> {
  if ((await context.parameter('expire', index)) !== true) return;
  await client.send(['EXPIRE', key, String(Number(await context.parameter('ttl', index)))]);
}

/** The value under the name that the node gives it. */
async function named(context: NodeContext, value: unknown, index: number): Promise<JsonObject> {
  const name = await textAt(context, 'propertyName', index);
  const json: JsonObject = {};
  if ((await context.parameter('options.dotNotation', index, true)) === false) json[name] = value;
  else setPath(json, name, value);
  return json;
}

async function getValue(client: RedisClient, key: string, keyType: string): Promise<unknown> {
  const type = keyType === 'automatic' ? String(await client.send(['TYPE', key])) : keyType;
  switch (type) {
    case 'hash':
      return pairs((await client.send(['HGETALL', key])) as string[]);
    case 'list':
      return client.send(['LRANGE', key, '0', '-1']);
    case 'set':
    case 'sets':
      return client.send(['SMEMBERS', key]);
    case 'none':
      return null;
    default:
      return client.send(['GET', key]);
  }
}

function pairs(list: string[]): JsonObject {
  const json: JsonObject = {};
  for (let index = 0; index + 1 < list.length; index += 2) json[list[index]!] = list[index + 1]!;
  return json;
}

/** The commands that store a value. The automatic type follows from the value. */
function setCommands(key: string, value: unknown, keyType: string, isJson: boolean): string[][] {
  const type = keyType === 'automatic' ? typeOf(value) : keyType;
  if (type === 'string') return [['SET', key, plainText(value)]];
  if (type === 'hash') {
    if (!isJson) {
      const [field = '', ...words] = plainText(value).split(' ');
      return [['HSET', key, field, words.join(' ')]];
    }
    const entries = Object.entries(parsedJson(value) as JsonObject);
    return entries.length > 0
      ? [['HSET', key, ...entries.flatMap(([name, field]) => [name, plainText(field)])]]
      : [];
  }
  const parts = listOf(value).map(plainText);
  if (parts.length === 0) return [];
  if (type === 'sets') return [['SADD', key, ...parts]];
  // The list takes the place of a former one.
  return [
    ['DEL', key],
    ['RPUSH', key, ...parts],
  ];
}

function typeOf(value: unknown): string {
  if (Array.isArray(value)) return 'list';
  return typeof value === 'object' && value !== null ? 'hash' : 'string';
}

function listOf(value: unknown): unknown[] {
  const read = parsedJson(value);
  return Array.isArray(read) ? read : [read];
}

function parsedJson(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  try {
    return JSON.parse(value);
  } catch (cause) {
    throw new NodeError('The value is not valid JSON', { cause });
  }
}

/** JSON as its value, other texts as they are. */
function parsed(value: RedisReply): unknown {
  if (typeof value !== 'string') return value;
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}

/** The lines of INFO: numbers as numbers, `a=1,b=2` as an object. */
function infoOf(text: string): JsonObject {
  const json: JsonObject = {};
  for (const line of text.split(/\r?\n/)) {
    const colon = line.indexOf(':');
    if (line.startsWith('#') || colon < 0) continue;
    json[line.slice(0, colon)] = infoValue(line.slice(colon + 1));
  }
  return json;
}

function infoValue(text: string): unknown {
  if (/^[^=,]+=[^=,]*(,[^=,]+=[^=,]*)*$/.test(text)) {
    return Object.fromEntries(
      text.split(',').map((part) => {
        const [name = '', value = ''] = part.split('=');
        return [name, plainValue(value)];
      }),
    );
  }
  return plainValue(text);
}

const plainValue = (text: string) => (/^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text);
