import type { Message, ThinkLevel, Tool } from '../../base/messages.ts';
import {
  GoTemplate,
  type GoTemplateNode,
  type ListNode,
  marshal,
  type Operand,
  type PipeNode,
  type TemplateFunction,
  type Value,
} from './go-template/index.ts';
import { goMessage, goTools, mergeNeighbors, type TemplateConversation } from './template-values.ts';
import { toTypeScriptType } from './typescript-type.ts';

export interface TemplateInput {
  messages: Message[];
  tools: Tool[];
  think: boolean | ThinkLevel | undefined;
  /** The texts before and after the gap to fill, instead of messages. */
  infill?: { prompt: string; suffix: string };
  /** Milliseconds since 1970, for `currentDate`. */
  now: number;
}

/** The TEMPLATE layer of a model: a Go template over a conversation, with Ollama's rules for older templates. */
export class ModelTemplate {
  readonly #template: GoTemplate;
  /** Lower-case names of all fields that the template mentions: `messages`, `tools`, `suffix` … */
  readonly fieldNames: ReadonlySet<string>;
  #now = 0;

  /** @throws TemplateError with Go's text */
  constructor(readonly source: string) {
    this.#template = new GoTemplate(source, this.#functions());
    const names = new Set<string>();
    const { root, definitions } = this.#template.parsed;
    for (const list of [root, ...definitions.values()]) collectNames(list, names);
    if (!names.has('messages') && !names.has('response')) {
      names.add('response');
      root.nodes.push(responseAction());
    }
    this.fieldNames = names;
  }

  /** @throws TemplateError with Go's text, or when a limit is exceeded */
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
    const conversation = mergeNeighbors(input.messages);
    if (!this.fieldNames.has('messages')) return this.#renderTurns(conversation, think);
    return execute({
      System: conversation.system,
      Messages: conversation.messages.map(goMessage),
      Tools: goTools(input.tools),
      Response: '',
    });
  }

  /** Runs a template without `.Messages` once for each pair of prompt and response. Cuts the last run at `.Response`. */
  #renderTurns(conversation: TemplateConversation, think: Record<string, Value>): string {
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

/** The date in the machine's time zone, as `2006-01-02`. */
function isoDate(milliseconds: number): string {
  const date = new Date(milliseconds);
  const twoDigits = (number: number) => String(number).padStart(2, '0');
  return `${date.getFullYear()}-${twoDigits(date.getMonth() + 1)}-${twoDigits(date.getDate())}`;
}

/** The node of `{{ .Response }}`. */
function responseAction(): GoTemplateNode {
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
      if (node.elseList) collectNames(node.elseList, names);
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

/** The tree up to the first action with `.Response`, which is included. */
function cutAfterResponse(list: ListNode): { list: ListNode; cut: boolean } {
  const nodes: GoTemplateNode[] = [];
  for (const node of list.nodes) {
    if (node.kind === 'list' || node.kind === 'if' || node.kind === 'range' || node.kind === 'with') {
      const inner = cutAfterResponse(node.kind === 'list' ? node : node.list);
      if (node.kind === 'list') {
        nodes.push(inner.list);
        if (inner.cut) return { list: { kind: 'list', nodes }, cut: true };
        continue;
      }
      const otherwise = inner.cut || !node.elseList ? undefined : cutAfterResponse(node.elseList);
      const { elseList: _, ...rest } = node;
      nodes.push({ ...rest, list: inner.list, ...(otherwise && { elseList: otherwise.list }) });
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
