import type { ExpressionPreview, WorkflowDraft, WorkflowNode } from '../api-types.ts';
import type { WorkflowClient } from '../workflow-client.ts';
import type { ParameterPath } from './draft.ts';

/** The current values of the expressions of the selected node. */
export class Previews {
  #previews: Record<string, ExpressionPreview> = {};
  #requestKey = '';
  #request: AbortController | undefined;

  constructor(
    private readonly client: Pick<WorkflowClient, 'preview'>,
    private readonly changed: () => void,
  ) {}

  /** The value of the expression at a path. Undefined until it is evaluated. */
  get(path: ParameterPath): ExpressionPreview | undefined {
    return this.#previews[JSON.stringify(path)];
  }

  request(draft: WorkflowDraft, node: WorkflowNode | undefined, executionId: string | undefined): void {
    const values = node ? expressionsIn(node.parameters) : {};
    const of = JSON.stringify([node?.name, values, executionId]);
    if (of === this.#requestKey) return;
    this.#requestKey = of;
    this.#request?.abort();
    if (!node || Object.keys(values).length === 0) {
      this.#previews = {};
      this.changed();
      return;
    }
    const asking = new AbortController();
    this.#request = asking;
    this.client.preview(draft, node.name, values, executionId, asking.signal).then(
      (previews) => {
        if (asking.signal.aborted) return;
        this.#previews = previews;
        this.changed();
      },
      () => {
        // Without a result no preview is shown. Forgetting the key lets the same request be repeated.
        if (!asking.signal.aborted) this.#requestKey = '';
      },
    );
  }

  close(): void {
    this.#request?.abort();
  }
}

/** All texts that begin with `=`, by their path as JSON. */
export function expressionsIn(value: unknown, path: ParameterPath = []): Record<string, string> {
  if (typeof value === 'string') return value.startsWith('=') ? { [JSON.stringify(path)]: value } : {};
  if (typeof value !== 'object' || value === null) return {};
  const entries = Array.isArray(value) ? [...value.entries()] : Object.entries(value);
  return Object.assign({}, ...entries.map(([key, inner]) => expressionsIn(inner, [...path, key])));
}
