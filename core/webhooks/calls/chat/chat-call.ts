/** Calls of a Chat Trigger: its page, its messages, and what was said before. */
import { isObject } from '#core/base';
import { jsonResponse } from '#core/http';
import { type Binary, type Item, nodeSettings } from '#core/workflow-format';
import type { Engine } from '../../engine/engine.ts';
import { supplyOutside } from '../../engine/run/supply-outside.ts';
import { serializedMessage } from '../../nodes/ai/memory/serialized-message.ts';
import { receiveCall } from '../receive-call.ts';
import { respondToCall } from '../response/respond.ts';
import type { WebhookCall } from '../webhook-call.ts';
import { chatPage } from './chat-page.ts';

/** Answers a call of the trigger's address. A chat that is not public has none. */
export async function answerChatCall(call: WebhookCall, engine: Engine): Promise<Response> {
  const { get } = nodeSettings(engine.services.nodeType(call.node.type), call.node);
  if (get('public') !== true) return new Response(null, { status: 404 });
  const chat = chatOptions(call, get);
  const received = await receiveCall(chat, engine);
  if (received instanceof Response) return received;
  const [item] = received.output[0] ?? [];
  const message = chatItem(item);
  const isPage = call.request.method === 'GET' && get('mode') !== 'webhook';
  if (isPage || message.json.action === 'loadPreviousSession') {
    await received.files.drop();
    return isPage ? pageResponse(get, call) : previousMessages(message, chat, engine);
  }
  return respondToCall(chat, { ...received, output: [[message]] }, engine);
}

type Get = (path: string) => unknown;

/** A chat answers with the first item of the last node, unless it says otherwise. */
function chatOptions(call: WebhookCall, get: Get): WebhookCall {
  const mode = String(get('options.responseMode') ?? 'lastNode');
  const isPost = call.request.method === 'POST';
  const responseMode = !isPost ? 'onReceived' : mode.startsWith('responseNode') ? 'responseNode' : mode;
  return {
    ...call,
    options: {
      ...call.options,
      authentication: String(get('authentication') ?? 'none'),
      responseMode,
      response: {
        ...call.options.response,
        ...(!isPost && { acknowledgement: '{"status":200}' }),
        lastNode: { data: 'firstEntryJson', property: '', file: '' },
      },
    },
  };
}

/** The fields of the message. Its files are numbered, and listed in the field `files`. */
function chatItem(item: Item | undefined): Item {
  const body = item?.json.body;
  const files = Object.values(item?.binary ?? {});
  const binary = Object.fromEntries(files.map((file, index) => [`data${index}`, file]));
  return {
    json: {
      ...(isObject(body) ? body : {}),
      ...(files.length > 0 && { files: files.map((file, index) => fileFacts(file, `data${index}`)) }),
    },
    ...(files.length > 0 && { binary }),
    pairedItem: { item: 0 },
  };
}

function fileFacts(
  { fileName, fileSize, fileType, mimeType, fileExtension }: Binary,
  binaryKey: string,
): object {
  return { fileName, fileSize, fileType, mimeType, fileExtension, binaryKey };
}

function pageResponse(get: Get, { cors }: WebhookCall): Response {
  const text = (path: string, otherwise: string) => String(get(path) ?? otherwise);
  const html = chatPage({
    title: text('options.title', 'Chat'),
    subtitle: text('options.subtitle', ''),
    placeholder: text('options.inputPlaceholder', 'Type your question..'),
    greetings: text('initialMessages', ''),
    css: text('options.customCss', ''),
    takesFiles: get('options.allowFileUploads') === true,
    loadsPrevious: get('options.loadPreviousSession') === 'memory',
  });
  return new Response(html, { headers: [...cors, ['content-type', 'text/html; charset=utf-8']] });
}

/** The messages that the memory of the trigger has for the session. */
async function previousMessages(message: Item, call: WebhookCall, engine: Engine): Promise<Response> {
  const { workflow, node, request, cors } = call;
  const [memory] = await supplyOutside(
    { workflow, node, items: [message], signal: request.signal },
    'ai_memory',
    engine.services,
  );
  const data = memory ? (await memory.all()).map(serializedMessage) : [];
  return jsonResponse({ data }, 200, cors);
}
