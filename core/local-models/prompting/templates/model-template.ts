/** The TEMPLATE layer of a model: a Go template over a conversation, with the rules for older templates. */
import type { Message, ThinkLevel, Tool } from '../../base/messages.ts';
import {
  GoTemplate,
  type ListNode,
  marshal,
  type Node,
  type Operand,
  type PipeNode,
  type TemplateFunction,
  type Value,
} from './go-template/index.ts';
import { type Conversation, collate, goMessage, goTools } from './template-values.ts';
import { toTypeScriptType } from './typescript-type.ts';

export interface TemplateInput {
  messages: Message[];
  tools: Tool[];
  think: boolean | ThinkLevel | undefined;
  /** Fill in the middle: `prompt` and what comes after it, instead of messages. */
  infill?: { prompt: string; suffix: string };
  /** Milliseconds since 1970, for `currentDate`. */
  now: number;
}

export class ModelTemplate {
  readonly #template: GoTemplate;
  /** Lower-case names of all fields that the template mentions: `messages`, `tools`, `suffix` … */
  readonly names: ReadonlySet<string>;
  #now = 0;

  /** Throws `TemplateError` with Go's text. */
  constructor(readonly source: string) {
    this.#template = new GoTemplate(source, this.#functions());
    const names = new Set<string>();
    const { root, definitions } = this.#template.parsed;
    for (const list of [root, ...definitions.values()]) collectNames(list, names);
    if (!names.has('messages') && !names.has('response')) {
      names.add('response');
      root.nodes.push(responseAction());
    }
    this.names = names;
  }

  /** Throws `TemplateError`. */
  render(input: TemplateInput): string {
    this.#now = input.now;
    const think = {
      Think: Boolean(input.think),
      ThinkLevel: typeof input.think === 'string' ? input.think : '',
      IsThinkSet: input.think !== undefined,
    };
    const execute = (values: Record<string, Value>) =>
      this.#template.execute(new Map(Object.entries({ ...values, ...think })));
    if (input.infill) {
      return execute({ Prompt: input.infill.prompt, Suffix: input.infill.suffix, Response: '' });
    }
    const conversation = collate(input.messages);
    if (!this.names.has('messages')) return this.#legacy(conversation, think);
    return execute({
      System: conversation.system,
      Messages: conversation.messages.map(goMessage),
      Tools: goTools(input.tools),
      Response: '',
    });
  }

  /** Templates without `.Messages` are run once for each pair of prompt and response, the last cut at `.Response`. */
  #legacy(conversation: Conversation, think: Record<string, Value>): string {
    let text = '';
    let turn = { System: '', Prompt: '', Response: '' };
    const flush = () => {
      text += this.#template.execute(new Map(Object.entries({ ...turn, ...think })));
      turn = { System: '', Prompt: '', Response: '' };
    };
    for (const { role, content } of conversation.messages) {
      if (role === 'system') {
        if (turn.Prompt !== '' || turn.Response !== '') flush();
        turn.System = content;
      } else if (role === 'user') {
        if (turn.Response !== '') flush();
        turn.Prompt = content;
      } else if (role === 'assistant') turn.Response = content;
    }
    const { list } = cutAfterResponse(this.#template.parsed.root);
    return text + this.#template.executeTree(list, new Map(Object.entries({ ...turn, ...think })));
  }

  #functions(): Record<string, TemplateFunction> {
    return {
      json: (value) => marshal(value),
      currentDate: () => isoDate(this.#now),
      yesterdayDate: () => isoDate(this.#now - 86_400_000),
      toTypeScriptType: (value) => toTypeScriptType(value),
    };
  }
}

/** The date where the machine is, as `2006-01-02`. */
function isoDate(milliseconds: number): string {
  const date = new Date(milliseconds);
  const two = (number: number) => String(number).padStart(2, '0');
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}

function responseAction(): Node {
  const pipe: PipeNode = {
    kind: 'pipe',
    line: 1,
    variables: [],
    assigns: false,
    commands: [{ kind: 'command', operands: [{ kind: 'field', path: ['Response'] }] }],
  };
  return { kind: 'action', line: 1, pipe };
}

function collectNames(list: ListNode, names: Set<string>): void {
  for (const node of list.nodes) {
    if (node.kind === 'list') collectNames(node, names);
    else if (node.kind === 'if' || node.kind === 'range' || node.kind === 'with') {
      collectFromPipe(node.pipe, names);
      collectNames(node.list, names);
      if (node.otherwise) collectNames(node.otherwise, names);
    } else if ((node.kind === 'action' || node.kind === 'template') && node.pipe) {
      collectFromPipe(node.pipe, names);
    }
  }
}

function collectFromPipe(pipe: PipeNode, names: Set<string>): void {
  const visit = (operand: Operand): void => {
    if (operand.kind === 'pipe') collectFromPipe(operand, names);
    else if (operand.kind === 'chain') visit(operand.node);
    if ('path' in operand) for (const name of operand.path) names.add(name.toLowerCase());
  };
  for (const command of pipe.commands) command.operands.forEach(visit);
}

/** The tree without everything that comes after the first mention of `.Response`. */
function cutAfterResponse(list: ListNode): { list: ListNode; cut: boolean } {
  const nodes: Node[] = [];
  for (const node of list.nodes) {
    if (node.kind === 'list' || node.kind === 'if' || node.kind === 'range' || node.kind === 'with') {
      const inner = cutAfterResponse(node.kind === 'list' ? node : node.list);
      if (node.kind === 'list') {
        nodes.push(inner.list);
        if (inner.cut) return { list: { kind: 'list', nodes }, cut: true };
        continue;
      }
      const otherwise = inner.cut || !node.otherwise ? undefined : cutAfterResponse(node.otherwise);
      const { otherwise: _, ...rest } = node;
      nodes.push({ ...rest, list: inner.list, ...(otherwise && { otherwise: otherwise.list }) });
      if (inner.cut || otherwise?.cut) return { list: { kind: 'list', nodes }, cut: true };
      continue;
    }
    nodes.push(node);
    if (node.kind !== 'action') continue;
    const names = new Set<string>();
    collectFromPipe(node.pipe, names);
    if (names.has('response')) return { list: { kind: 'list', nodes }, cut: true };
  }
  return { list: { kind: 'list', nodes }, cut: false };
}
