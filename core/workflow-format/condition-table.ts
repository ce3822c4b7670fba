/** The table of conditions of If, Filter and Switch, as it is stored or with evaluated expressions. */
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
  /** The operation has no right value: `exists`, `empty`, `true` … */
  singleValue?: boolean;
}

export type ConditionValueType = 'string' | 'number' | 'boolean' | 'array' | 'object' | 'dateTime' | 'any';
