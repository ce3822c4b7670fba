/** Starts the workflow with the messages of channels of Redis. */
import type { JsonObject } from '#core/workflow-format';
import { firstMessage, type Listen } from '../../node-api/listen.ts';
import type { NodeType } from '../../node-api/node-type.ts';
import { commaList } from '../shared/comma-list.ts';
import { flag, options, text } from '../shared/parameters.ts';
import { redisSettings } from './redis-settings.ts';
import { withSubscription } from './with-client.ts';

const listen: Listen = async (context, start) => {
  const channels = commaList(await context.parameter('channels', 0));
  const parses = (await context.parameter('options.jsonParseBody', 0, false)) === true;
  const isPlain = (await context.parameter('options.onlyMessage', 0, false)) === true;
  const settings = redisSettings(await context.credential('redis'));
  return withSubscription(context, 'redis', settings, (client) =>
    client.subscribe(channels, (message, channel) => {
      const value = parses ? parsedOrText(message) : message;
      const json = isPlain ? { message: value } : { channel, message: value };
      void start(() => [{ json: json as JsonObject }]);
    }),
  );
};

export const redisTrigger: NodeType = {
  name: 'n8n-nodes-base.redisTrigger',
  label: 'Redis Trigger',
  description: 'Starts the workflow with the messages of channels of Redis.',
  group: 'trigger',
  versions: [1],
  inputs: 0,
  outputs: ['main'],
  needsClients: true,
  credentials: [{ type: 'redis', required: true }],
  parameters: [
    text('channels', 'Channels', { required: true, description: 'Names or patterns, separated by commas.' }),
    options({ fields: [flag('jsonParseBody', 'JSON Parse Body'), flag('onlyMessage', 'Only Message')] }),
  ],
  execute: async (context) => [await firstMessage(context, listen)],
  listen,
};

function parsedOrText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
