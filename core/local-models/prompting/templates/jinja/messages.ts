/** Conversations in the words of chat templates: the names of the OpenAI format, with the habits of a template. */
import type { Message, ToolCall } from '#core/local-models/base/messages.ts';

/** What a template can do with a conversation; what it cannot is told to it in another way. */
export interface Habits {
  /** How it takes the arguments of calls; `none`: it shows no calls, so they are written as text. */
  calls: 'object' | 'text' | 'none';
  /** It shows calls only of a message whose content is null. */
  nullContent: boolean;
  /** What calls are written behind where they are text. */
  callTag: string;
  /** Whether it shows results of tools; else they come from the user. */
  results: boolean;
  /** Whether it shows a system message; else it goes before the first of the user. */
  system: boolean;
  /** Turns of user and assistant only, by turns. */
  plainTurns: boolean;
  /** Ids of calls that it takes, in characters. */
  idLength?: number;
}

export function jinjaMessages(messages: Message[], habits: Habits): Record<string, unknown>[] {
  let all = habits.system ? messages : foldSystem(messages);
  if (habits.plainTurns) all = joinTurns(all.map((message) => asTurn(message, habits.callTag)));
  else if (!habits.results)
    all = all.map((message) => (message.role === 'tool' ? asTurn(message, '') : message));
  return all.map((message) => jinjaMessage(message, habits));
}

function jinjaMessage(message: Message, habits: Habits): Record<string, unknown> {
  const { role, content, thinking, toolCalls, toolName, toolCallId } = message;
  const id = (given: string) => (habits.idLength ? shortId(given, habits.idLength) : given);
  const asText = habits.calls === 'none' && Boolean(toolCalls?.length);
  return {
    role,
    content: asText
      ? withCalls(content, toolCalls!, habits.callTag)
      : toolCalls?.length && habits.nullContent && content === ''
        ? null
        : content,
    ...(thinking && { reasoning_content: thinking, thinking }),
    ...(toolCalls?.length &&
      !asText && {
        tool_calls: toolCalls.map((call, index) => ({
          ...((call.id || habits.idLength) && { id: id(call.id ?? `call ${index}`) }),
          type: 'function',
          function: {
            name: call.name,
            arguments: habits.calls === 'text' ? JSON.stringify(call.arguments) : call.arguments,
          },
        })),
      }),
    ...(toolName && { name: toolName }),
    ...((toolCallId || (habits.idLength && role === 'tool')) && {
      tool_call_id: id(toolCallId ?? 'call 0'),
    }),
  };
}

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

function asTurn(message: Message, callTag: string): Message {
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

function joinTurns(messages: Message[]): Message[] {
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
  const written = calls.map(({ name, arguments: args }) => ({ name, arguments: args }));
  const text =
    tag === '' ? written.map((call) => JSON.stringify(call)).join('\n') : tag + JSON.stringify(written);
  return content === '' ? text : `${content}\n${text}`;
}

/** An id of letters and digits, the same for the same id. */
function shortId(id: string, length: number): string {
  if (id.length === length && /^[a-zA-Z0-9]+$/.test(id)) return id;
  let hash = 2166136261;
  let text = '';
  for (let at = 0; text.length < length; at++) {
    for (const character of `${at}${id}`) hash = Math.imul(hash ^ character.codePointAt(0)!, 16777619) >>> 0;
    text += hash.toString(36);
  }
  return text.slice(0, length);
}
