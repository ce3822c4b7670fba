import type { Binary } from '#core/workflow-format';

export interface ReadBody {
  /** Undefined: the item has no body. */
  body: unknown;
  binary: Record<string, Binary>;
}
