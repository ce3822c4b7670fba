/** Conversations as chat templates expect them: messages of OpenAI's format, adapted to what a template supports. */
import type { Message, ToolCall } from '#core/local-models/base/messages.ts';

/** The form in which a template supports the parts of a conversation. */
export interface MessageFormat {
  /** How the template takes a call's arguments. `none`: it prints no calls, so they are written into the text. */
  argumentsAs: 'object' | 'text' | 'none';
  /** Whether the template prints calls only of messages whose content is null. */
  nullContent: boolean;
  /** The text before calls that are written into the text. */
  callTag: string;
  /** Whether the template prints tool results. Otherwise they become messages of the user. */
  toolResults: boolean;
  /** Whether the template prints system messages. Otherwise their text precedes the first message of the user. */
  systemMessages: boolean;
  /** Whether the template accepts only messages that alternate between user and assistant. */
  alternatingRoles: boolean;
  /** The length that the template requires of call ids, in characters. */
  idLength?: number;
}

/** The value of `messages` in a template. */
export function jinjaMessages(messages: Message[], format: MessageFormat): Record<string, unknown>[] {
  let adapted = format.systemMessages ? messages : foldSystem(messages);
  if (format.alternatingRoles) {
    adapted = joinNeighbors(adapted.map((message) => asPlainTurn(message, format.callTag)));
  } else if (!format.toolResults) {
    adapted = adapted.map((message) => (message.role === 'tool' ? asPlainTurn(message, '') : message));
  }
  return adapted.map((message) => jinjaMessage(message, format));
}

function jinjaMessage(message: Message, format: MessageFormat): Record<string, unknown> {
  const { role, content, thinking, toolName, toolCallId } = message;
  const calls = message.toolCalls ?? [];
  const callsInText = format.argumentsAs === 'none';
  return {
    role,
    content: contentOf(content, calls, format),
    ...(thinking && { reasoning_content: thinking, thinking }),
    ...(calls.length > 0 && !callsInText && { tool_calls: jinjaCalls(calls, format) }),
    ...(toolName && { name: toolName }),
    ...((toolCallId || (format.idLength && role === 'tool')) && {
      tool_call_id: adaptId(toolCallId ?? 'call 0', format),
    }),
  };
}

function contentOf(content: string, calls: ToolCall[], format: MessageFormat): string | null {
  if (calls.length === 0) return content;
  if (format.argumentsAs === 'none') return withCalls(content, calls, format.callTag);
  return format.nullContent && content === '' ? null : content;
}

function jinjaCalls(calls: ToolCall[], format: MessageFormat): Record<string, unknown>[] {
  return calls.map((call, index) => ({
    ...((call.id || format.idLength) && { id: adaptId(call.id ?? `call ${index}`, format) }),
    type: 'function',
    function: {
      name: call.name,
      arguments: format.argumentsAs === 'text' ? JSON.stringify(call.arguments) : call.arguments,
    },
  }));
}

/** Puts the text of all system messages before the first message of the user. */
function foldSystem(messages: Message[]): Message[] {
  const system = messages.filter(({ role }) => role === 'system').map(({ content }) => content);
  const others = messages.filter(({ role }) => role !== 'system');
  if (system.length === 0) return messages;
  const first = others.findIndex(({ role }) => role === 'user');
  const text = system.join('\n\n');
  if (first < 0) return [{ role: 'user', content: text }, ...others];
  return others.map((message, index) =>
    index === first ? { ...message, content: `${text}\n\n${message.content}` } : message,
  );
}

/** A message of user or assistant without tool calls: calls and results become text. */
function asPlainTurn(message: Message, callTag: string): Message {
  if (message.role === 'tool') {
    return { role: 'user', content: `${message.toolName ? `${message.toolName}: ` : ''}${message.content}` };
  }
  const { toolCalls, ...rest } = message;
  return {
    ...rest,
    role: message.role === 'assistant' ? 'assistant' : 'user',
    content: toolCalls?.length ? withCalls(message.content, toolCalls, callTag) : message.content,
  };
}

/** Joins the texts of neighbors with the same role. */
function joinNeighbors(messages: Message[]): Message[] {
  const joined: Message[] = [];
  for (const message of messages) {
    const last = joined.at(-1);
    if (last?.role === message.role) {
      joined[joined.length - 1] = { ...last, content: `${last.content}\n\n${message.content}` };
    } else joined.push(message);
  }
  return joined;
}

function withCalls(content: string, calls: ToolCall[], tag: string): string {
  const plain = calls.map(({ name, arguments: args }) => ({ name, arguments: args }));
  const text =
    tag === '' ? plain.map((call) => JSON.stringify(call)).join('\n') : tag + JSON.stringify(plain);
  return content === '' ? text : `${content}\n${text}`;
}

function adaptId(id: string, { idLength }: MessageFormat): string {
  return idLength ? fixedLengthId(id, idLength) : id;
}

/** Derives an id of letters and digits; equal ids give equal results. Hashes with 32-bit FNV-1a. */
function fixedLengthId(id: string, length: number): string {
  if (id.length === length && /^[a-zA-Z0-9]+$/.test(id)) return id;
  let hash = 2166136261;
  let text = '';
  for (let round = 0; text.length < length; round++) {
    for (const character of `${round}${id}`)
      hash = Math.imul(hash ^ character.codePointAt(0)!, 16777619) >>> 0;
    text += hash.toString(36);
  }
  return text.slice(0, length);
}
