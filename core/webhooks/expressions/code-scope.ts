import type { BinaryData } from '../node-api/node-context.ts';
import type { ExpressionScope } from './expressions.ts';

/** What a Code node sees beside what expressions see. */
export interface CodeScope extends ExpressionScope {
  /** After an item has failed, the next is run. */
  continueOnFail: boolean;
  staticData(scope: 'global' | 'node'): Record<string, unknown>;
  binary: BinaryData;
  console(line: string): void;
}
