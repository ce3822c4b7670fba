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
  operator?: ConditionOperator;
}

export interface ConditionOperator {
  type: ConditionValueType;
  operation: string;
  rightType?: ConditionValueType;
  /** Only the left value counts: `exists`, `empty`, `true` … */
  singleValue?: boolean;
}

export type ConditionValueType = 'string' | 'number' | 'boolean' | 'array' | 'object' | 'dateTime' | 'any';
