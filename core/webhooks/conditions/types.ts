/** The table of conditions of IF, Filter and Switch, as it is stored (expressions evaluated). */
export interface ConditionTable {
  options?: {
    caseSensitive?: boolean;
    leftValue?: string;
    typeValidation?: 'strict' | 'loose';
    version?: number;
  };
  conditions?: Condition[];
  combinator?: 'and' | 'or';
}

export interface Condition {
  id?: string;
  leftValue?: unknown;
  rightValue?: unknown;
  operator?: Operator;
}

export interface Operator {
  type: ValueType;
  operation: string;
  rightType?: ValueType;
  /** Only the left value counts: `exists`, `empty`, `true` … */
  singleValue?: boolean;
}

export type ValueType = 'string' | 'number' | 'boolean' | 'array' | 'object' | 'dateTime' | 'any';
