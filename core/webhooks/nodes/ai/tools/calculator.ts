/** Arithmetic for agents. */
import type { NodeType } from '../../../node-api/node-type.ts';
import { subNode } from '../describe.ts';
import { ArithmeticError, evaluateArithmetic } from './calculator/evaluate.ts';
import { makeTool, runAsTool } from './make-tool.ts';

const DESCRIPTION =
  'Useful for getting the result of a math expression. The input to this tool should be a valid mathematical expression that could be executed by a simple calculator.';

export const calculator: NodeType = subNode('toolCalculator', {
  description: 'Lets an agent calculate.',
  supplies: 'ai_tool',
  supply: async (context) =>
    makeTool(context, { description: DESCRIPTION }, async (input) => calculate(input)),
  execute: (context) => runAsTool(context, { takesObject: false }, async (input) => calculate(input)),
});

/** A text that is no arithmetic is an answer too: the model can correct it. */
function calculate(input: unknown): string {
  try {
    return String(evaluateArithmetic(String(input)));
  } catch (error) {
    if (error instanceof ArithmeticError) return "I don't know how to do that.";
    throw error;
  }
}
