import { GoTemplate, type GoTemplateNode, type ListNode } from '../../templates/go-template/index.ts';

/** The parser of templates requires the functions of Ollama's templates; nothing is rendered here. */
const FUNCTIONS = {
  json: () => '',
  currentDate: () => '',
  yesterdayDate: () => '',
  toTypeScriptType: () => '',
};

/**
 * The tag that a Go template writes before the calls of earlier turns: its model writes the same tag before its own.
 * Undefined: there is none, or calls begin with their JSON.
 */
export function templateTag(template: string): string | undefined {
  if (!/\{\{[^}]*\.ToolCalls/.test(template)) return undefined;
  try {
    const { root, definitions } = new GoTemplate(template, FUNCTIONS).parsed;
    for (const list of [root, ...definitions.values()]) {
      const branch = callsBranch(list);
      const text = branch && firstText(branch);
      if (text === undefined) continue;
      const tag = text.split(/[{[](?=[\s"{]|$)/)[0]!.trim();
      return tag.length > 2 && /[<[]/.test(tag) ? tag : undefined;
    }
  } catch {
    // Rendering reports a template that cannot be parsed.
  }
  return undefined;
}

function callsBranch(list: ListNode): ListNode | undefined {
  for (const node of list.nodes) {
    if (node.kind === 'list') {
      const found = callsBranch(node);
      if (found) return found;
    }
    if (node.kind !== 'if' && node.kind !== 'range' && node.kind !== 'with') continue;
    if (JSON.stringify(node.pipe).includes('"ToolCalls"') && firstText(node.list) !== undefined)
      return node.list;
    const found = callsBranch(node.list) ?? (node.elseList && callsBranch(node.elseList));
    if (found) return found;
  }
  return undefined;
}

function firstText(list: ListNode): string | undefined {
  for (const node of list.nodes) {
    const text = textOf(node);
    if (text !== undefined) return text;
  }
  return undefined;
}

function textOf(node: GoTemplateNode): string | undefined {
  if (node.kind === 'text') return node.text.trim() === '' ? undefined : node.text;
  if (node.kind === 'list') return firstText(node);
  if (node.kind === 'if' || node.kind === 'range' || node.kind === 'with') return firstText(node.list);
  return undefined;
}
