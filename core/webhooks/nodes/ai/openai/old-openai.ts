/** The first OpenAI node, which has no sub-nodes: `n8n-nodes-base.openAi`. */

import type { JsonObject, Parameter } from '#core/workflow-format';
import type { NodeContext } from '../../../node-api/node-context.ts';
import type { NodeType } from '../../../node-api/node-type.ts';
import { objectList } from '../../shared/object-list.ts';
import { choice, fixedCollectionList, flag, group, number, options, text } from '../../shared/parameters.ts';
import { imageItems } from '../actions/file-parts.ts';
import { itemOf, type ModelOperation, optionsOf } from '../actions/operation.ts';
import { serviceNode } from '../actions/service-node.ts';
import { openAiServer } from '../chat-models/openai.ts';
import { readJson, requestModel } from '../wire/model-request.ts';
import { openServer } from './open-server.ts';

const isChat = { resource: ['chat'], operation: ['complete'] };
const isText = { resource: ['text'], operation: ['complete'] };
const isModerate = { resource: ['text'], operation: ['moderate'] };
const isImage = { resource: ['image'], operation: ['create'] };
const completionOptions = [
  flag('echo', 'Echo Prompt'),
  number('frequency_penalty', 'Frequency Penalty', 0, { minimum: -2, maximum: 2 }),
  number('maxTokens', 'Maximum Number of Tokens', 16),
  number('n', 'Number of Completions', 1),
  number('presence_penalty', 'Presence Penalty', 0, { minimum: -2, maximum: 2 }),
  number('temperature', 'Sampling Temperature', 1, { minimum: 0, maximum: 1 }),
  number('topP', 'Top P', 1, { minimum: 0, maximum: 1 }),
];

const parameters: Parameter[] = [
  choice('resource', 'Resource', 'text', {
    literal: true,
    options: { chat: 'Chat', image: 'Image', text: 'Text' },
  }),
  choice('operation', 'Operation', 'complete', {
    literal: true,
    show: { resource: ['chat'] },
    options: { complete: 'Complete' },
  }),
  choice('operation', 'Operation', 'create', {
    literal: true,
    show: { resource: ['image'] },
    options: { create: 'Create' },
  }),
  choice('operation', 'Operation', 'complete', {
    literal: true,
    show: { resource: ['text'] },
    options: { complete: 'Complete', moderate: 'Moderate' },
  }),
  text('model', 'Model', { default: 'gpt-3.5-turbo', versions: { to: 1 }, show: isChat }),
  text('chatModel', 'Model', { default: 'gpt-3.5-turbo', versions: { from: 1.1 }, show: isChat }),
  text('model', 'Model', { default: 'dall-e-2', versions: { to: 1 }, show: isImage }),
  text('imageModel', 'Model', { default: 'dall-e-2', versions: { from: 1.1 }, show: isImage }),
  text('model', 'Model', { default: 'gpt-3.5-turbo-instruct', show: isText }),
  text('model', 'Model', { default: 'text-moderation-latest', show: isModerate }),
  fixedCollectionList('prompt', 'Prompt', {
    show: isChat,
    groups: [
      group('messages', 'Messages', [
        choice('role', 'Role', 'user', {
          options: { assistant: 'Assistant', system: 'System', user: 'User' },
        }),
        text('content', 'Content'),
      ]),
    ],
  }),
  text('prompt', 'Prompt', { rows: 2, show: isText }),
  text('prompt', 'Prompt', { rows: 2, show: isImage }),
  text('input', 'Input', { rows: 2, show: isModerate }),
  choice('responseFormat', 'Response Format', 'binaryData', {
    show: isImage,
    options: { binaryData: 'Binary File', imageUrl: 'Image URL' },
  }),
  flag('simplifyOutput', 'Simplify', { default: true, show: isChat }),
  flag('simplifyOutput', 'Simplify', { default: true, show: isText }),
  flag('simplifyOutput', 'Simplify', { default: true, show: isModerate }),
  options({ show: isChat, fields: completionOptions }),
  options({ show: isText, fields: completionOptions }),
  options({
    show: isImage,
    fields: [
      number('n', 'Number of Images', 1),
      choice('quality', 'Quality', 'standard', { options: ['hd', 'standard'] }),
      choice('size', 'Resolution', '1024x1024', {
        options: ['256x256', '512x512', '1024x1024', '1792x1024', '1024x1792'],
      }),
      choice('style', 'Style', 'vivid', { options: ['natural', 'vivid'] }),
    ],
  }),
];

/** `maxTokens` and `topP` have other names in the API. */
async function completionFields(context: NodeContext, index: number): Promise<JsonObject> {
  const { maxTokens, topP, ...rest } = await optionsOf(context, index);
  return {
    ...rest,
    ...(maxTokens !== undefined && { max_tokens: maxTokens }),
    ...(topP !== undefined && { top_p: topP }),
  };
}

/** A completion: its choices, or the complete answer. */
function completion(path: string, inputOf: ModelOperation<JsonObject>): ModelOperation {
  return async (context, index) => {
    const own = String((await context.parameter(modelParameter(context, 'chatModel'), index)) ?? '');
    const { server, model } = await openServer(context, index, { capability: 'completion', model: own });
    const input = await inputOf(context, index);
    const body = { model, ...input, ...(await completionFields(context, index)) };
    const answer = await requestModel(context, server, { path, body }, readJson);
    const isSimple = (await context.parameter('simplifyOutput', index)) !== false;
    return isSimple
      ? objectList(answer.choices).map((found) => itemOf(found, index))
      : [itemOf(answer, index)];
  };
}

/** Texts have one name in all versions. */
function modelParameter(context: NodeContext, newer: string): string {
  return context.version < 1.1 || context.literal('resource') === 'text' ? 'model' : newer;
}

const chat = completion('/chat/completions', async (context, index) => ({
  messages: objectList(await context.parameter('prompt.messages', index, [])).map(
    ({ role = 'user', content }) => ({ role, content }),
  ),
}));
const complete = completion('/completions', async (context, index) => ({
  prompt: await context.parameter('prompt', index, ''),
}));

const moderate: ModelOperation = async (context, index) => {
  const server = await openAiServer(context, {});
  const body = {
    model: await context.parameter('model', index),
    input: await context.parameter('input', index, ''),
  };
  const answer = await requestModel(context, server, { path: '/moderations', body }, readJson);
  const isSimple = (await context.parameter('simplifyOutput', index)) !== false;
  return (isSimple ? objectList(answer.results) : [answer]).map((found) => itemOf(found, index));
};

const createImage: ModelOperation = async (context, index) => {
  const own = String((await context.parameter(modelParameter(context, 'imageModel'), index)) ?? '');
  const { server, model } = await openServer(context, index, { model: own });
  const isUrl = (await context.parameter('responseFormat', index)) === 'imageUrl';
  const body = {
    ...(model && { model }),
    prompt: await context.parameter('prompt', index, ''),
    response_format: isUrl ? 'url' : 'b64_json',
    ...(await optionsOf(context, index)),
  };
  const { data } = await requestModel(context, server, { path: '/images/generations', body }, readJson);
  if (isUrl) return objectList(data).map((found) => itemOf(found, index));
  const items = await imageItems(context, index, objectList(data));
  return items.map((item) => ({ ...item, json: {} }));
};

export const oldOpenAi: NodeType = serviceNode({
  name: 'n8n-nodes-base.openAi',
  label: 'OpenAI (older node)',
  description: 'Asks a model of OpenAI. New workflows use the node "OpenAI".',
  versions: [1, 1.1],
  credential: 'openAiApi',
  parameters,
  local: ['chat complete', 'text complete', 'image create'],
  operations: {
    'chat complete': chat,
    'text complete': complete,
    'text moderate': moderate,
    'image create': createImage,
  },
});
