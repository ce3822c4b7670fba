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

/** A comparison of a filter, as If, Switch and Filter nodes store it. */
export interface Condition {
  id?: string;
  leftValue?: unknown;
  rightValue?: unknown;
  operator?: ConditionOperator;
}

/** The operation of a condition, and the type of values that it compares. */
export interface ConditionOperator {
  type: ConditionValueType;
  operation: string;
  rightType?: ConditionValueType;
  /** The operation has no right value: `exists`, `empty`, `true` … */
  singleValue?: boolean;
}

/** The type of values that a condition compares. `any` takes all of them. */
export type ConditionValueType = 'string' | 'number' | 'boolean' | 'array' | 'object' | 'dateTime' | 'any';
