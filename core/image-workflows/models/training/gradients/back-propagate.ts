/** Reverse-mode differentiation (Rumelhart, Hinton and Williams, 1986) of a graph of ONNX nodes. */
import { ATTENTION } from './attention.ts';
import { ELEMENTWISE } from './elementwise.ts';
import type { ForwardNode, GradientRule, RuleContext } from './gradient-rule.ts';
import { LAYOUT } from './layout.ts';
import { NORMS } from './norms.ts';
import { PRODUCTS } from './products.ts';

const RULES: Readonly<Record<string, GradientRule>> = {
  ...ELEMENTWISE,
  ...LAYOUT,
  ...PRODUCTS,
  ...NORMS,
  ...ATTENTION,
};

/** Further gradients of a node: those of further weights of the node, and those of its inputs through them. */
export type NodeHook = (node: ForwardNode, gradient: string) => readonly (string | undefined)[] | undefined;

/** Operators whose results do not change with the numbers of their inputs, or in steps only. */
const WITHOUT_GRADIENT = [
  'Shape',
  'Size',
  'Equal',
  'Greater',
  'GreaterOrEqual',
  'Less',
  'LessOrEqual',
  'ArgMax',
];

/** The values that depend on others in a smooth way. The others are included. @param nodes in an order in which they can run */
export function dependents(
  nodes: readonly ForwardNode[],
  startsAt: (node: ForwardNode) => boolean,
  values: Iterable<string>,
): Set<string> {
  const found = new Set(values);
  for (const node of nodes)
    if (
      startsAt(node) ||
      (!WITHOUT_GRADIENT.includes(node.operator) && node.inputs.some((input) => found.has(input)))
    )
      for (const output of node.outputs) found.add(output);
  return found;
}

/**
 * Adds the nodes of the backward pass to the context's builder. Throws an error that names the operator for a node
 * without a rule.
 * @param nodes in an order in which they can run
 * @param seed the value whose gradient is given, and that gradient
 * @returns the gradients of all values that need one, by the value
 */
export function backPropagate(
  nodes: readonly ForwardNode[],
  [result, gradient]: readonly [result: string, gradient: string],
  context: RuleContext,
  hook: NodeHook = () => undefined,
): Map<string, string> {
  const gradients = new Map([[result, gradient]]);
  const add = (value: string, part: string | undefined) => {
    if (part === undefined || value === '' || !context.needs(value)) return;
    const other = gradients.get(value);
    gradients.set(value, other === undefined ? part : context.build.op('Add', [other, part]));
  };
  for (const node of nodes.toReversed()) {
    const own = node.outputs.map((output) => gradients.get(output));
    if (own.every((each) => each === undefined)) continue;
    if (node.inputs.some((input) => context.needs(input))) {
      const parts = ruleOf(node)(node, own, context);
      for (const [index, input] of node.inputs.entries()) add(input, parts[index]);
    }
    const further = own[0] === undefined ? undefined : hook(node, own[0]);
    for (const [index, part] of (further ?? []).entries()) add(node.inputs[index]!, part);
  }
  return gradients;
}

function ruleOf({ operator, outputs }: ForwardNode): GradientRule {
  const rule = Object.hasOwn(RULES, operator) ? RULES[operator] : undefined;
  if (rule) return rule;
  throw new Error(
    `this network cannot be trained here: there is no rule for the gradient of its operator ${operator} (${outputs[0]})`,
  );
}
