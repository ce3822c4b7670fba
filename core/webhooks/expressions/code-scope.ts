import type { BinaryData } from '../node-api/node-context.ts';
import type { ExpressionScope } from './expressions.ts';

/** The data and functions of code: those of expressions, and more. */
export interface CodeScope extends ExpressionScope {
  /** Whether to run the next item after one has failed. */
  continueOnFail: boolean;
  staticData(scope: 'global' | 'node'): Record<string, unknown>;
  binary: BinaryData;
  console(line: string): void;
}
